// SPDX-License-Identifier: Apache-2.0

/// One line of `offstage doctor`: the subject, its state, and what to do.
package struct Finding: Sendable, Equatable, Encodable {
    package enum Level: String, Sendable, Equatable, Encodable {
        case ok, warn, fail
    }

    package let level: Level
    /// The subject of the check: `store`, `network`.
    package let subject: String
    package let text: String
    /// What to do; empty if nothing.
    package let advice: String

    package init(_ level: Level, _ subject: String, _ text: String, advice: String = "") {
        self.level = level
        self.subject = subject
        self.text = text
        self.advice = advice
    }
}
