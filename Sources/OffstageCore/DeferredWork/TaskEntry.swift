// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The outcome of a request, kept for people to read: the last few of each identifier.
package struct TaskEntry: Sendable, Hashable, Codable {
    package enum Outcome: Sendable, Hashable, Codable {
        case ended(TaskEnding, started: Date, seconds: Double)
        /// `submit` threw, or would have thrown: `BGTaskScheduler.Error.Code`'s number, and a sentence.
        case refused(code: Int, String)
        /// `cancel(taskRequestWithIdentifier:)`, or another request replaced it.
        case cancelled
        case replaced
        /// The person quit the app or removed it.
        case dropped(String)
        /// A run without a result: the machine stopped, or the app ended before the handler; the request waits again.
        case interrupted(String)
    }

    /// The request's number; nil if it was refused.
    package var number: UInt64?
    package var app: String
    package var identifier: String
    package var kind: TaskRequest.Kind
    package var date: Date
    package var outcome: Outcome

    package init(
        number: UInt64?,
        app: String,
        identifier: String,
        kind: TaskRequest.Kind,
        date: Date,
        outcome: Outcome
    ) {
        self.number = number
        self.app = app
        self.identifier = identifier
        self.kind = kind
        self.date = date
        self.outcome = outcome
    }
}
