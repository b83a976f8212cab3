// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SessionNeedsTests {
    /// "photos" is being handled by the process, which was notified at 0 s.
    private static func handling() -> SessionNeeds {
        var needs = SessionNeeds()
        var turn = Turn.at(0)
        _ = needs.need("photos")
        needs.notify(&turn)
        return needs
    }

    @Test func `a session that asks twice is told of once`() {
        var needs = SessionNeeds()
        var turn = Turn.at(0)
        let waits = needs.need("photos")
        #expect(waits)
        let waitsAgain = needs.need("photos")
        #expect(waitsAgain)
        #expect(needs.waiting == ["photos"])
        needs.notify(&turn)
        #expect(turn.told == [.handleEvents(session: "photos", timeEnds: 5030)])
        #expect(needs.waiting.isEmpty && needs.isHandling)
        let waitsLater = needs.need("photos")
        #expect(!waitsLater, "the process receives it")
        var next = Turn.at(1)
        needs.notify(&next)
        #expect(next.told.isEmpty)
    }

    @Test func `what comes after everything was settled is news, and needs the app again`() {
        var needs = Self.handling()
        var turn = Turn.at(1)
        let isOver = needs.settled("photos", &turn)
        #expect(!isOver, "its completion handler was not called")
        let waits = needs.need("photos")
        #expect(!waits)
        let isOverAgain = needs.handled("photos", &turn)
        #expect(!isOverAgain, "it is not settled any more")
        var later = Turn.at(3)
        let isFinished = needs.finishDue(&later)
        #expect(isFinished)
        let isFinishedAgain = needs.finishDue(&later)
        #expect(!isFinishedAgain)
        #expect(needs.waiting == ["photos"])
        #expect(later.story.isEmpty)
    }

    @Test func `a called completion handler counts when the events have been delivered, or after a while`() {
        for isSettled in [true, false] {
            var needs = Self.handling()
            var turn = Turn.at(1)
            let isOver = needs.handled("photos", &turn)
            #expect(!isOver)
            #expect(needs.settlingDue == 5003 && !needs.isOwedCompletion)
            if isSettled {
                let isOverAgain = needs.settled("photos", &turn)
                #expect(isOverAgain)
            } else {
                turn = Turn.at(3)
                let isFinished = needs.finishDue(&turn)
                #expect(isFinished)
            }
            #expect(turn.story == [.handledEvents(session: "photos")])
            #expect(!needs.isHandling && needs.waiting.isEmpty)
        }
    }

    @Test func `a process that is gone leaves what is not settled`() {
        for isSettled in [true, false] {
            var needs = Self.handling()
            var turn = Turn.at(1)
            if isSettled { _ = needs.settled("photos", &turn) }
            needs.processIsGone()
            #expect(needs.waiting == (isSettled ? [] : ["photos"]))
            #expect(!needs.isHandling)
        }
    }

    @Test func `a process that returns is told again of what it has not received, and of nothing else`() {
        var needs = Self.handling()
        _ = needs.need("music")
        needs.attached(unhandled: ["music"], Turn.at(1))
        #expect(needs.waiting == ["photos"], "the command was lost, and the process has the other session")
        needs = Self.handling()
        needs.announced("photos", Turn.at(1))
        needs.attached(unhandled: [], Turn.at(2))
        #expect(needs.waiting.isEmpty, "it has received the command, so it has handled it")
        #expect(needs.settlingDue == 5004)
    }

    @Test func `a process that names other sessions each time it returns is not told of any, and fills nothing`() {
        let most = StageBudget().sessions
        var needs = SessionNeeds()
        for round in 0..<5 {
            needs.attached(unhandled: (0..<most).map { "\(round) \($0)" }, Turn.at(Double(round)))
            #expect(needs.waiting.isEmpty, "it has received what it names")
        }
        needs.processIsGone()
        #expect(needs.waiting.count <= 2 * most)
    }

    @Test func `a session that a process names twice is handled once`() {
        var needs = SessionNeeds()
        var turn = Turn.at(1)
        needs.attached(unhandled: ["photos", "photos"], turn)
        _ = needs.handled("photos", &turn)
        let isOver = needs.settled("photos", &turn)
        #expect(isOver)
        #expect(!needs.isHandling)
    }

    @Test func `a handler that is never called costs the app its time, and the events come with the next run`() {
        var needs = Self.handling()
        var turn = Turn.at(30)
        let reason = needs.handlingIsOver(&turn)
        #expect(reason == .eventsTooLong(session: "photos", seconds: 30), "the main thread hangs")
        needs.announced("photos", turn)
        let reasonAgain = needs.handlingIsOver(&turn)
        #expect(reasonAgain == nil)
        #expect(turn.story == [.eventsNotHandled(session: "photos", seconds: 30)])
        #expect(!needs.isHandling && needs.waiting.isEmpty)
        needs.restoreMissed()
        #expect(needs.waiting == ["photos"])
    }

    @Test func `the end of the last need ends its postponement`() {
        var needs = SessionNeeds()
        var turn = Turn.at(0)
        _ = needs.need("photos")
        _ = needs.need("music")
        needs.postpone(until: 5060)
        _ = needs.settled("photos", &turn)
        #expect(needs.delayedUntil == 5060)
        _ = needs.settled("music", &turn)
        #expect(needs.delayedUntil == nil)
    }
}
