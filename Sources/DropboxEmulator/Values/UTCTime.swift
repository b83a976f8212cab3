// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Times as Dropbox writes them: `2026-08-05T12:00:00Z`, without fractions, in UTC.
enum UTCTime {
    private static let style = Date.ISO8601FormatStyle()

    /// Formats a time in seconds since 1970, without fractions of a second.
    static func text(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(style)
    }

    /// Whether a text is a time in exactly this form.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count == 20, text.hasSuffix("Z"), let date = try? Date(text, strategy: style) else {
            return false
        }
        return date.formatted(style) == text
    }
}
