// SPDX-License-Identifier: Apache-2.0

/// A format string of `os_log`, parsed into its parts: `%{public}@ took %.2f s`.
package struct FormatString: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case text(String)
        case value(Placeholder)
        /// `%m`: the description of the last error number.
        case errorNumber
    }

    /// A placeholder for a value.
    package struct Placeholder: Sendable, Equatable {
        package var privacy = OSLogPrivacy.auto
        package var meaning: ValueMeaning?
        package var format = NumberFormat()
        /// Whether the width or the precision is a separate argument before the value.
        package var takesWidth = false
        package var takesPrecision = false
        package var conversion: Unicode.Scalar = "@"
    }

    package let parts: [Part]

    /// Parses a format string. Text that is not a valid placeholder is literal: nothing is refused, and a placeholder
    /// never reads a value that was not passed.
    package init(_ text: String) {
        var parser = FormatParser(text)
        parts = parser.parts()
    }
}
