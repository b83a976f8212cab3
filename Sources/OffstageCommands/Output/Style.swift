// SPDX-License-Identifier: Apache-2.0

/// Colours, which mean something: only on a terminal.
package enum Style: String, Sendable {
    case good = "32"
    case bad = "31"
    case caution = "33"
    case strong = "1"
    case faint = "2"

    /// The text in this style.
    package func callAsFunction(_ text: String, _ isOn: Bool) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
