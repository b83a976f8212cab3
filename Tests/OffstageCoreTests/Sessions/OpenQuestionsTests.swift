// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct OpenQuestionsTests {
    private let session = SessionName(app: "app", identifier: "s")
    private let challenge = DelegateQuestion.challenge(
        Challenge(method: .httpBasic, host: "files.example.org", port: 443, isSecure: true)
    )

    private func entry(_ id: Int64, _ question: DelegateQuestion) -> OpenQuestions.Entry {
        .init(id: TransferID(rawValue: id), key: SessionTaskKey(session: "s", task: Int(id)), question: question)
    }

    @Test func `an app that is there is asked, and again when it comes back`() {
        var questions = OpenQuestions()
        #expect(questions.asked(entry(1, challenge), app: "app", isHeld: true) == .ask)
        #expect(questions.waiting(in: session) == [entry(1, challenge)])
    }

    @Test func `a challenge waits for an app that is not there, a delayed request does not`() {
        var questions = OpenQuestions()
        #expect(questions.asked(entry(2, challenge), app: "app", isHeld: false) == .keep)
        #expect(questions.asked(entry(1, challenge), app: "app", isHeld: false) == .keep)
        #expect(questions.asked(entry(3, .willBeginDelayedRequest), app: "app", isHeld: false) == .continueLoading)
        #expect(questions.waiting(in: session).map(\.id.rawValue) == [1, 2])
        #expect(questions.waiting(in: SessionName(app: "other", identifier: "s")).isEmpty)
    }

    @Test func `a delayed request begins when the app that was asked goes away`() {
        var questions = OpenQuestions()
        _ = questions.asked(entry(1, .willBeginDelayedRequest), app: "app", isHeld: true)
        _ = questions.asked(entry(2, challenge), app: "app", isHeld: true)
        #expect(questions.released(session).map(\.rawValue) == [1])
        #expect(questions.waiting(in: session).map(\.id.rawValue) == [2])
        #expect(questions.released(session).isEmpty)
    }

    @Test func `what is settled is not asked again`() {
        var questions = OpenQuestions()
        for id in 1...3 as ClosedRange<Int64> { _ = questions.asked(entry(id, challenge), app: "app", isHeld: false) }
        questions.settled(TransferID(rawValue: 1), in: session)
        questions.settled(TransferID(rawValue: 2), of: "app")
        questions.settled(TransferID(rawValue: 3), of: "other")
        #expect(questions.waiting(in: session).map(\.id.rawValue) == [3])
        questions.settled(TransferID(rawValue: 3), in: session)
        #expect(questions.count == 0)
    }
}
