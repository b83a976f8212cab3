// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The questions that the delegate has been asked about tasks that have not ended. The daemon asks them again over a
/// new connection, and the app must not notice.
package struct AskedQuestions: Sendable {
    package enum Ruling: Sendable, Equatable {
        /// Ask the delegate; its answer carries the number.
        case ask(number: Int)
        /// The delegate has the question already.
        case ignore
        /// The delegate has answered, and the daemon may not have seen the answer.
        case repeated(DelegateAnswer)
    }

    private struct Asked {
        var question: DelegateQuestion
        var number: Int
        /// The answer and its position in the journal; nil while the delegate decides.
        var answer: (text: DelegateAnswer, position: JournalPosition)?
    }

    private var asked: [Int: Asked] = [:]
    private var numbers = 0

    package init() {}

    /// Decides what to do with a question from the daemon about a task. A question that comes back after its answer was
    /// read is a new one; `committed` is how far the daemon has read the journal.
    package mutating func ask(_ task: Int, _ question: DelegateQuestion, committed: JournalPosition) -> Ruling {
        if let former = asked[task], former.question == question {
            guard let answer = former.answer else { return .ignore }
            if answer.position > committed { return .repeated(answer.text) }
        }
        numbers += 1
        asked[task] = Asked(question: question, number: numbers)
        return .ask(number: numbers)
    }

    /// Whether to hand over the delegate's answer: only the first one to the latest question.
    package func isAwaited(_ task: Int, number: Int) -> Bool {
        guard let asked = asked[task] else { return false }
        return asked.number == number && asked.answer == nil
    }

    /// Records that the answer is in the journal. Without a position, the answer could not be written, and the next
    /// question is a new one.
    package mutating func answered(_ task: Int, number: Int, _ answer: DelegateAnswer, at position: JournalPosition?) {
        guard asked[task]?.number == number else { return }
        if let position { asked[task]?.answer = (answer, position) } else { asked[task] = nil }
    }

    package mutating func ended(_ task: Int) { asked[task] = nil }
}
