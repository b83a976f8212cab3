// SPDX-License-Identifier: Apache-2.0

/// Colours with a meaning, used only on a terminal.
package enum Style: String, Sendable, CaseIterable {
    case good = "32"
    case bad = "31"
    case caution = "33"
    case strong = "1"
    case faint = "2"

    /// The text after the escape character for each style, and for the reset.
    static let codes = allCases.map { "[\($0.rawValue)m" } + ["[0m"]

    /// The text in this style.
    package func callAsFunction(_ text: String, _ isOn: Bool) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
