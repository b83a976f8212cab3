// SPDX-License-Identifier: Apache-2.0

/// One line of `offstage doctor`: what was checked, its state, and what to do.
package struct Finding: Sendable, Equatable, Encodable {
    package enum Level: String, Sendable, Equatable, Encodable {
        case ok, warn, fail
    }

    package let level: Level
    /// What was checked: `store`, `network`.
    package let subject: String
    package let text: String
    /// What to do; empty when nothing needs doing.
    package let advice: String

    package init(_ level: Level, _ subject: String, _ text: String, advice: String = "") {
        self.level = level
        self.subject = subject
        self.text = text
        self.advice = advice
    }
}
