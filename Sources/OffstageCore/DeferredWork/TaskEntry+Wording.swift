// SPDX-License-Identifier: Apache-2.0

extension TaskEntry.Outcome {
    /// The outcome, as the end of a sentence whose subject is the task.
    package var summary: String {
        switch self {
        case .ended(let ending, _, _): ending.summary
        case .refused(_, let sentence): "refused: \(sentence)"
        case .cancelled: "cancelled"
        case .replaced: "replaced by another request with its identifier"
        case .dropped(let why): "dropped: \(why)"
        case .interrupted(let why): "interrupted, and waits again: \(why)"
        }
    }
}
