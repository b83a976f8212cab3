// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct OpenQuestionsTests {
    private let session = SessionName(app: "app", identifier: "s")

    private func id(_ number: Int) -> TransferID { TransferID(rawValue: Int64(number)) }

    private func ids(_ numbers: some Sequence<Int>) -> [TransferID] { numbers.map(id) }

    @Test func `an app that is there is asked, and again when it comes back`() {
        var questions = OpenQuestions()
        questions.opened(session)
        #expect(questions.asked(id(1), in: session, isDelayed: false, isHeld: true) == .ask)
        #expect(questions.next(in: session).isEmpty)
        #expect(questions.isAsked(id(1), in: session))
        questions.suspended(session)
        questions.opened(session)
        #expect(!questions.isAsked(id(1), in: session))
        #expect(questions.next(in: session) == ids([1]))
        #expect(questions.next(in: session).isEmpty)
    }

    @Test func `whoever is just getting a session is asked once, when it has it`() {
        var questions = OpenQuestions()
        questions.suspended(session)
        #expect(questions.asked(id(1), in: session, isDelayed: true, isHeld: true) == .keep)
        #expect(questions.next(in: session).isEmpty)
        questions.opened(session)
        #expect(questions.next(in: session) == ids([1]))
    }

    @Test func `a challenge waits for an app that is not there, a delayed request does not`() {
        var questions = OpenQuestions()
        #expect(questions.asked(id(2), in: session, isDelayed: false, isHeld: false) == .keep)
        #expect(questions.asked(id(1), in: session, isDelayed: false, isHeld: false) == .keep)
        #expect(questions.asked(id(3), in: session, isDelayed: true, isHeld: false) == .continueLoading)
        #expect(questions.next(in: session).isEmpty)
        let other = SessionName(app: "other", identifier: "s")
        questions.opened(other)
        #expect(questions.next(in: other).isEmpty)
        questions.opened(session)
        #expect(questions.next(in: session) == ids([1, 2]))
    }

    @Test func `some are asked at a time, and the next when one is settled`() {
        var questions = OpenQuestions()
        let limit = OpenQuestions.limit
        for number in 1...limit + 2 {
            #expect(questions.asked(id(number), in: session, isDelayed: false, isHeld: false) == .keep)
        }
        questions.opened(session)
        #expect(questions.next(in: session) == ids(1...limit))
        #expect(questions.asked(id(limit + 3), in: session, isDelayed: false, isHeld: true) == .keep)
        // A question that was asked may be followed by another one at once.
        #expect(questions.asked(id(5), in: session, isDelayed: false, isHeld: true) == .ask)
        #expect(questions.next(in: session).isEmpty)
        // A question that is no longer waiting is passed over.
        questions.settled(id(limit + 1), in: session)
        #expect(questions.next(in: session).isEmpty)
        questions.settled(id(3), in: session)
        #expect(questions.next(in: session) == ids([limit + 2]))
        #expect(questions.settled(id(4), of: "app") == session)
        #expect(questions.next(in: session) == ids([limit + 3]))
        #expect(questions.count == limit)
    }

    @Test func `a delayed request begins when the app that was asked goes away`() {
        var questions = OpenQuestions()
        questions.opened(session)
        _ = questions.asked(id(1), in: session, isDelayed: true, isHeld: true)
        _ = questions.asked(id(2), in: session, isDelayed: false, isHeld: true)
        #expect(questions.released(session) == ids([1]))
        #expect(questions.count == 1)
        #expect(questions.released(session).isEmpty)
        questions.opened(session)
        #expect(questions.next(in: session) == ids([2]))
    }

    @Test func `what is settled is not asked again`() {
        var questions = OpenQuestions()
        for number in 1...3 { _ = questions.asked(id(number), in: session, isDelayed: false, isHeld: false) }
        questions.settled(id(1), in: session)
        #expect(questions.settled(id(2), of: "app") == session)
        #expect(questions.settled(id(3), of: "other") == nil)
        questions.opened(session)
        #expect(questions.next(in: session) == ids([3]))
        questions.settled(id(3), in: session)
        #expect(questions.count == 0)
    }

    @Test func `a session's questions are being looked up until the last look has ended`() {
        var questions = OpenQuestions()
        questions.lookUpBegan(in: session)
        questions.lookUpBegan(in: session)
        #expect(questions.isBeingLookedUp(session))
        let isFirstLast = questions.lookUpEnded(in: session)
        #expect(!isFirstLast)
        #expect(questions.isBeingLookedUp(session))
        let isSecondLast = questions.lookUpEnded(in: session)
        #expect(isSecondLast)
        #expect(!questions.isBeingLookedUp(session))
    }

    @Test func `a question is settled by its number once, whatever became of its session`() {
        var questions = OpenQuestions()
        questions.opened(session)
        _ = questions.asked(id(1), in: session, isDelayed: true, isHeld: true)
        _ = questions.asked(id(2), in: session, isDelayed: false, isHeld: true)
        _ = questions.released(session)
        #expect(questions.settled(id(1), of: "app") == nil)
        #expect(questions.settled(id(2), of: "app") == session)
        #expect(questions.settled(id(2), of: "app") == nil)
    }
}
