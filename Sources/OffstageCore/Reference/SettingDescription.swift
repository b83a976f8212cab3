// SPDX-License-Identifier: Apache-2.0

/// One key of `settings.json`, as docs/settings.md and offstage-settings(5) describe it.
package struct SettingDescription: Sendable {
    /// The values that a key takes.
    package enum Values: Sendable, Equatable {
        /// `true` or `false`.
        case toggle
        /// Numbers, both ends included.
        case numbers(ClosedRange<Double>)
        /// One of these texts.
        case words([String])
        /// Other values, described in Markdown; empty if the meaning suffices.
        case described(String)

        /// In Markdown.
        package var text: String {
            switch self {
            case .toggle: "`true`, `false`"
            case .numbers(let range):
                "\(SettingDescription.number(range.lowerBound))–\(SettingDescription.number(range.upperBound))"
            case .words(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
            case .described(let text): text
            }
        }
    }

    package let key: String
    /// In Markdown: `code`, and links to other pages of the documentation.
    package let meaning: String
    package let values: Values
    /// The default value, in Markdown.
    package let usual: String
    /// The default value with `strict`, if different.
    package let strict: String

    /// - Parameters:
    ///   - key: as it is written in the file.
    ///   - meaning: what it does, in Markdown.
    ///   - values: the values that it accepts.
    ///   - usual: its default value.
    ///   - strict: the default with `strict`; ignored if it is the same.
    package init(_ key: String, _ meaning: String, _ values: Values, usual: String = "", strict: String = "") {
        self.key = key
        self.meaning = meaning
        self.values = values
        self.usual = usual
        self.strict = strict == usual ? "" : strict
    }

    /// A number without a redundant fraction.
    static func number(_ value: Double) -> String {
        // Swift adds a decimal point and a zero to a whole number.
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
