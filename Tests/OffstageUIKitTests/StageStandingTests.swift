// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageUIKit
import Testing

@Suite struct StageStandingTests {
    private static func followed(_ state: LifeState = .active) -> StageStanding {
        var standing = StageStanding()
        _ = standing.beginFollowing(terminal: nil)
        standing.become(state)
        return standing
    }

    private func expect(_ standing: inout StageStanding, _ reports: [StageReport]) {
        let unsent = standing.takeUnsent()
        #expect(unsent == reports)
    }

    private func expectNothing(_ standing: inout StageStanding) { expect(&standing, []) }

    @Test func `background tasks are numbered from 1 and reported in their order`() {
        var standing = Self.followed()
        let result1 = standing.beginTask(named: "a", now: 10, nil)
        #expect(result1 == 1)
        let result2 = standing.beginTask(named: "a", now: 11, nil)
        #expect(result2 == 2)
        let result3 = standing.endTask(1)
        #expect(result3)
        let reports = standing.takeUnsent()
        #expect(
            reports == [
                .beganTask(BackgroundTask(id: 1, name: "a", beganAt: 10)),
                .beganTask(BackgroundTask(id: 2, name: "a", beganAt: 11)),
                .endedTask(1),
            ]
        )
        expectNothing(&standing)
    }

    @Test func `a task can be ended once, and one that was never begun not at all`() {
        var standing = Self.followed()
        let task = standing.beginTask(named: "a", now: 0, nil)
        let result4 = standing.endTask(task)
        #expect(result4)
        _ = standing.takeUnsent()
        let result5 = standing.endTask(task)
        #expect(!result5)
        let result6 = standing.endTask(7)
        #expect(!result6)
        let result7 = standing.endTask(UIBackgroundTaskIdentifier.invalid.rawValue)
        #expect(!result7)
        expectNothing(&standing)
    }

    @Test func `the time remaining is exact in background and the greatest number in foreground`() {
        var standing = Self.followed(.active)
        standing.setTime(ends: 130)
        #expect(standing.timeRemaining(now: 100) == .greatestFiniteMagnitude)
        standing.become(.background)
        #expect(standing.timeRemaining(now: 100) == 30)
        #expect(standing.timeRemaining(now: 131) == 0)
        standing.setTime(ends: nil)
        #expect(standing.timeRemaining(now: 100) == .greatestFiniteMagnitude)
    }

    @Test func `handlers are taken in the order of their tasks, once, and not for tasks begun meanwhile`() {
        var standing = Self.followed(.background)
        let first = standing.beginTask(named: "first", now: 0) {}
        let second = standing.beginTask(named: "second", now: 0, nil)
        let third = standing.beginTask(named: "third", now: 0) {}
        let last = standing.lastTask
        _ = standing.beginTask(named: "meanwhile", now: 0) {}
        let result8 = standing.takeExpiring(upTo: last)?.id
        #expect(result8 == first)
        // The first handler has ended the third task as well.
        let result9 = standing.endTask(third)
        #expect(result9)
        let taken = standing.takeExpiring(upTo: last)
        #expect(taken?.id == second)
        #expect(taken?.handler == nil)
        let result10 = standing.takeExpiring(upTo: last)
        #expect(result10 == nil)
    }

    @Test func `a task that was kept through an expiry and a return expires again`() {
        var standing = Self.followed(.background)
        let task = standing.beginTask(named: "kept", now: 0) {}
        let result11 = standing.takeExpiring(upTo: task)?.id
        #expect(result11 == task)
        standing.become(.inactive)
        let result12 = standing.takeExpiring(upTo: task)
        #expect(result12 == nil)
        standing.become(.active)
        standing.become(.background)
        let result13 = standing.takeExpiring(upTo: task)?.id
        #expect(result13 == task)
    }

    @Test func `a new connection begins with a view, and reports what comes after it`() {
        var standing = StageStanding()
        let first = standing.beginFollowing(terminal: true)
        #expect(first == StageView(isInTerminal: true, isInFront: true))
        standing.become(.inactive)
        standing.report(.launched)
        standing.become(.active)
        standing.report(.state(.active))
        expect(&standing, [.launched, .state(.active)])
        standing.endFollowing()
        _ = standing.beginTask(named: "unheard", now: 5, nil)
        standing.see(false)
        expectNothing(&standing)
        let result14 = standing.announces("photos")
        #expect(result14)
        let view = standing.beginFollowing(terminal: nil)
        #expect(view.state == .active)
        #expect(view.tasks == [BackgroundTask(id: 1, name: "unheard", beganAt: 5)])
        #expect(view.unhandled == ["photos"])
        #expect(!view.isInTerminal)
        #expect(view.isInFront == false)
        expectNothing(&standing)
        standing.handled("photos")
        expect(&standing, [.handled(session: "photos")])
    }

    @Test func `a session is announced once until its completion handler was called, which counts once`() {
        var standing = Self.followed(.background)
        let result15 = standing.announces("photos")
        #expect(result15)
        let result16 = standing.announces("photos")
        #expect(!result16)
        let result17 = standing.announces("films")
        #expect(result17)
        standing.handled("photos")
        standing.handled("photos")
        expect(&standing, [.handled(session: "photos")])
        let result18 = standing.announces("photos")
        #expect(result18)
    }

    @Test func `visibility is reported when it changes`() {
        var standing = Self.followed()
        standing.see(true)
        standing.see(true)
        standing.see(false)
        expect(&standing, [.visible(true), .visible(false)])
    }
}
