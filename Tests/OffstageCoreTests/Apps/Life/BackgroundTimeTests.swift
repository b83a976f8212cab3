// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct BackgroundTimeTests {
    private static let policy = AppLife.Policy(time: .ios13)
    private static func task(_ id: Int) -> BackgroundTask { BackgroundTask(id: id, name: "upload", beganAt: 5000) }

    /// In background since 0 s, with 30 s in total and one task.
    private static func held() -> BackgroundTime {
        var time = BackgroundTime()
        _ = time.add(task(1))
        time.begin(until: 5030)
        return time
    }

    @Test(arguments: [(600, 5), (30, 5), (12, 2), (6, 1), (3, 1), (2, 1), (0.6, 0.3), (0.1, 0.05)])
    func `a short time still leaves its handlers a second, or half of it`(time: Double, warning: Double) {
        #expect(BackgroundTimeProfile(taskTime: time).warning == warning)
    }

    @Test func `the handlers are called once, in time for their warning`() {
        var time = Self.held()
        #expect(time.expiryDue(ends: 5030, Self.policy) == 5025)
        var turn = Turn.at(25)
        let isOver = time.expiryIsDue(ends: 5030, &turn)
        #expect(!isOver)
        #expect(turn.told == [.expire])
        #expect(time.isExpiring)
        #expect(time.expiryDue(ends: 5030, Self.policy) == 5030)
        turn = Turn.at(30)
        let isOverAgain = time.expiryIsDue(ends: 5030, &turn)
        #expect(isOverAgain, "they have not returned")
        #expect(turn.actions.isEmpty)
    }

    @Test func `handlers that are called late have their whole time`() {
        var time = Self.held()
        var turn = Turn.at(28)
        let isOver = time.expiryIsDue(ends: 5030, &turn)
        #expect(!isOver)
        #expect(turn.told == [.backgroundTime(ends: 5033), .expire])
        #expect(time.ends == 5033)
    }

    @Test func `without a task nothing expires`() {
        var time = Self.held()
        time.ended(1)
        #expect(!time.isHeld)
        #expect(time.expiryDue(ends: 5030, Self.policy) == nil)
    }

    @Test func `a task that begins after the end has a little time once, and holds nothing the second time`() {
        var time = Self.held()
        time.ended(1)
        var turn = Turn.at(31)
        let isNew = time.add(Self.task(2))
        #expect(isNew)
        time.began(Self.task(2), ends: 5030, &turn)
        #expect(turn.told == [.backgroundTime(ends: 5036), .expire])
        #expect(time.isHeld && time.hasHadGrace)
        time.ended(2)
        turn = Turn.at(37)
        let isNewAgain = time.add(Self.task(3))
        #expect(isNewAgain)
        time.began(Self.task(3), ends: 5036, &turn)
        #expect(turn.told == [.expire])
        #expect(!time.isHeld)
        time.begin(until: 5100)
        #expect(time.isHeld, "a new backgrounding forgets that")
    }

    @Test func `a task is counted once, whatever a process says`() {
        var time = Self.held()
        let isNew = time.add(Self.task(1))
        #expect(!isNew)
        #expect(time.held(at: 5010) == [.init(name: "upload", seconds: 10)])
        time.attached(with: [])
        #expect(!time.isHeld)
    }

    @Test func `one task too many keeps nothing running`() {
        let most = StageBudget().backgroundTasks
        var time = BackgroundTime()
        for id in 1...most {
            let isNew = time.add(Self.task(id))
            #expect(isNew)
        }
        let isNew = time.add(Self.task(most + 1))
        #expect(!isNew)
        #expect(time.tasks.count == most)
        time.ended(1)
        let isNewAgain = time.add(Self.task(most + 1))
        #expect(isNewAgain)
    }

    @Test func `the end of deferred work leaves the background tasks a moment, before their handlers are called`() {
        var time = Self.held()
        time.keepWarning(Turn.at(40))
        #expect(time.ends == 5045)
        var turn = Turn.at(41)
        _ = time.expiryIsDue(ends: 5045, &turn)
        time.keepWarning(Turn.at(44))
        #expect(time.ends == 5045, "what the handlers were told stays")
    }

    @Test func `time in which nothing ran does not count`() {
        var time = Self.held()
        var turn = Turn.at(25)
        _ = time.expiryIsDue(ends: 5030, &turn)
        time.makeUp(for: 60)
        #expect(time.ends == 5090)
        #expect(time.expiryDue(ends: 5090, Self.policy) == 5090)
    }
}
