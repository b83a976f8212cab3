// SPDX-License-Identifier: Apache-2.0

/// A format as `os_log` takes it, in its parts: `%{public}@ took %.2f s`.
package struct FormatString: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case text(String)
        case value(Placeholder)
        /// `%m`: what the last error number means.
        case errorNumber
    }

    /// Where a value goes.
    package struct Placeholder: Sendable, Equatable {
        package var privacy = OSLogPrivacy.auto
        package var meaning: ValueMeaning?
        package var format = NumberFormat()
        /// The width, or the precision, is an argument of its own, before the value.
        package var takesWidth = false
        package var takesPrecision = false
        package var conversion: Unicode.Scalar = "@"
    }

    package let parts: [Part]

    /// What is no format stands for itself: nothing is refused, and nothing takes a value that has not one.
    package init(_ text: String) {
        var parser = FormatParser(text)
        parts = parser.parts()
    }
}
