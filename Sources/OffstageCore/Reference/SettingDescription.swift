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
        /// Anything else, in Markdown; empty if the meaning says it all.
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
    /// The value of a key that is left out, in Markdown.
    package let usual: String
    /// The same with `strict`, if that makes a difference.
    package let strict: String

    /// - Parameters:
    ///   - key: as it is written in the file.
    ///   - meaning: what it does, in Markdown.
    ///   - values: what it takes.
    ///   - usual: its value if it is left out.
    ///   - strict: that value with `strict`; the same one is not told twice.
    package init(_ key: String, _ meaning: String, _ values: Values, usual: String = "", strict: String = "") {
        self.key = key
        self.meaning = meaning
        self.values = values
        self.usual = usual
        self.strict = strict == usual ? "" : strict
    }

    /// A number without a fraction that says nothing.
    static func number(_ value: Double) -> String {
        // A decimal point and a zero are what Swift adds to a whole number.
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
