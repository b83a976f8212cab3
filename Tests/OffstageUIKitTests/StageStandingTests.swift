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
        let unsent = standing.takeUnsent().reports
        #expect(unsent == reports)
    }

    @Test func `background tasks are numbered from 1 and reported in their order`() {
        var standing = Self.followed()
        let numbers = [standing.beginTask(named: "a", now: 10, nil), standing.beginTask(named: "a", now: 11, nil)]
        #expect(numbers == [1, 2])
        expect(
            &standing,
            [
                .beganTask(BackgroundTask(id: 1, name: "a", beganAt: 10)),
                .beganTask(BackgroundTask(id: 2, name: "a", beganAt: 11)),
            ]
        )
        let ended = [standing.endTask(2), standing.endTask(1)]
        #expect(ended == [true, true])
        expect(&standing, [.endedTask(2), .endedTask(1)])
        expect(&standing, [])
    }

    @Test func `a task can be ended once, and one that was never begun not at all`() {
        var standing = Self.followed()
        let task = standing.beginTask(named: "a", now: 0, nil)
        let none = UIBackgroundTaskIdentifier.invalid.rawValue
        let ended = [standing.endTask(task), standing.endTask(task), standing.endTask(7), standing.endTask(none)]
        #expect(ended == [true, false, false, false])
        expect(&standing, [.beganTask(BackgroundTask(id: 1, name: "a", beganAt: 0)), .endedTask(1)])
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
        let called = standing.takeExpiring(upTo: last)
        #expect(called?.id == first && called?.handler != nil)
        // The first handler has also ended the third task.
        _ = standing.endTask(third)
        let withoutHandler = standing.takeExpiring(upTo: last)
        #expect(withoutHandler?.id == second && withoutHandler?.handler == nil)
        let nothing = standing.takeExpiring(upTo: last)
        #expect(nothing == nil)
    }

    @Test func `a task that was kept through an expiry and a return expires again`() {
        var standing = Self.followed(.background)
        let task = standing.beginTask(named: "kept", now: 0) {}
        let taken = [standing.takeExpiring(upTo: task)?.id, standing.takeExpiring(upTo: task)?.id]
        #expect(taken == [task, nil])
        standing.become(.inactive)
        standing.become(.active)
        standing.become(.background)
        let again = standing.takeExpiring(upTo: task)?.id
        #expect(again == task)
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
        let isNew = standing.announces("photos")
        #expect(isNew)
        expect(&standing, [])
        let second = standing.beginFollowing(terminal: nil)
        #expect(
            second
                == StageView(
                    state: .active,
                    tasks: [BackgroundTask(id: 1, name: "unheard", beganAt: 5)],
                    unhandled: ["photos"],
                    isInFront: false,
                    isToBeInFront: false
                )
        )
        expect(&standing, [])
        standing.handled("photos")
        expect(&standing, [.handled(session: "photos")])
    }

    @Test func `a session is announced once until its completion handler was called, which counts once`() {
        var standing = Self.followed(.background)
        let announced = [standing.announces("photos"), standing.announces("photos"), standing.announces("films")]
        #expect(announced == [true, false, true])
        standing.handled("photos")
        standing.handled("photos")
        expect(&standing, [.handled(session: "photos")])
        let again = standing.announces("photos")
        #expect(again)
    }

    @Test func `visibility is reported when it changes, and when the app is elsewhere`() {
        var standing = Self.followed()
        for isVisible in [true, true, false] { standing.see(isVisible) }
        expect(&standing, [.visible(true), .visible(false)])
        standing.become(.background)
        standing.see(false)
        expect(&standing, [])
        // One command has brought it to the front, and another sent it away.
        standing.become(.active)
        standing.see(false)
        expect(&standing, [.visible(false)])
        standing.see(true)
        standing.become(.background)
        standing.see(true)
        expect(&standing, [.visible(true), .visible(true)])
    }

    @Test(arguments: [StageReport.leftTerminal, .visible(false), .terminal(isInFront: false)])
    func `a new daemon hears where the app is to be only until it has been there`(report: StageReport) {
        var standing = Self.followed()
        standing.endFollowing()
        standing.report(report)
        #expect(standing.beginFollowing(terminal: false).isToBeInFront == false)
        standing.become(.inactive)
        standing.become(.background)
        #expect(standing.beginFollowing(terminal: false).isToBeInFront == nil)
        // By a command, in the terminal's background.
        standing.become(.active)
        #expect(standing.beginFollowing(terminal: false).isToBeInFront == nil)
        standing.report(.terminal(isInFront: true))
        #expect(standing.beginFollowing(terminal: true).isToBeInFront == nil)
    }

    @Test func `a task that was kept through an expiry expires again when the app is woken with time anew`() {
        var standing = Self.followed(.background)
        let task = standing.beginTask(named: "kept", now: 0) {}
        let taken = [standing.takeExpiring(upTo: task)?.id, standing.takeExpiring(upTo: task)?.id]
        #expect(taken == [task, nil])
        standing.become(.background)
        let again = standing.takeExpiring(upTo: task)?.id
        #expect(again == task)
    }
}
