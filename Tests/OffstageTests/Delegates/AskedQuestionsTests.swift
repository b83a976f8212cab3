// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import Testing

@Suite final class AskedQuestionsTests {
    private var questions = AskedQuestions()
    private let before = JournalPosition(generation: 1, sequence: 4)
    private let answered = JournalPosition(generation: 1, sequence: 5)

    private func ask(_ task: Int, _ question: DelegateQuestion, _ committed: JournalPosition) -> AskedQuestions.Ruling {
        questions.ask(task, question, committed: committed)
    }

    private func challenge(_ previousFailures: Int = 0) -> DelegateQuestion {
        .challenge(
            Challenge(
                method: .httpBasic,
                host: "example.org",
                port: 80,
                isSecure: false,
                previousFailures: previousFailures
            )
        )
    }

    @Test func `what the delegate thinks about is not asked again`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        #expect(ask(1, challenge(), before) == .ignore)
        #expect(questions.isAwaited(1, number: 1))
    }

    @Test func `each task is asked for itself`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        #expect(ask(2, challenge(), before) == .ask(number: 2))
        #expect(questions.isAwaited(1, number: 1))
    }

    @Test func `an answer to what was asked before the last question is none`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        #expect(ask(1, challenge(1), before) == .ask(number: 2))
        #expect(!questions.isAwaited(1, number: 1))
        questions.answered(1, number: 1, .cancel, at: answered)
        #expect(questions.isAwaited(1, number: 2))
    }

    @Test func `only the first answer counts`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        questions.answered(1, number: 1, .performDefaultHandling, at: answered)
        #expect(!questions.isAwaited(1, number: 1))
    }

    @Test func `a question that crosses its answer is answered the same without the delegate`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        questions.answered(1, number: 1, .performDefaultHandling, at: answered)
        #expect(ask(1, challenge(), before) == .repeated(.performDefaultHandling))
    }

    @Test func `the same question after its answer was read is a new one`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        questions.answered(1, number: 1, .performDefaultHandling, at: answered)
        #expect(ask(1, challenge(), answered) == .ask(number: 2))
    }

    @Test func `an answer that could not be written is asked for again`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        questions.answered(1, number: 1, .performDefaultHandling, at: nil)
        #expect(ask(1, challenge(), before) == .ask(number: 2))
    }

    @Test func `a task that has ended is not waited for`() {
        #expect(ask(1, challenge(), before) == .ask(number: 1))
        questions.ended(1)
        #expect(!questions.isAwaited(1, number: 1))
    }
}
