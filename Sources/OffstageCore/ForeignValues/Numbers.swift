// SPDX-License-Identifier: Apache-2.0

/// Conversions of text and floating point to numbers, without trapping or guessing.
extension FixedWidthInteger {
    /// Reads a number of ASCII digits, as in protocols: no sign, no blank, and only if it fits.
    package init?(digits text: some StringProtocol) {
        guard let value = Self(digits: text.utf8) else { return nil }
        self = value
    }

    /// Reads bytes that are all ASCII digits.
    package init?(digits bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return nil }
        var value: Self = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let tens = value.multipliedReportingOverflow(by: 10)
            let sum = tens.partialValue.addingReportingOverflow(Self(byte & 15))
            guard !tens.overflow, !sum.overflow else { return nil }
            value = sum.partialValue
        }
        self = value
    }

    /// The nearest whole number, rounded towards zero; 0 if it is not a number.
    package init(nearest value: Double) {
        if let exact = Self(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
        }
    }

    /// The sum, or the largest possible number (the smallest, if both are negative).
    package func addingClamped(_ other: Self) -> Self {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? (other < 0 ? .min : .max) : sum.partialValue
    }

    /// The difference, or the nearest possible number.
    package func subtractingClamped(_ other: Self) -> Self {
        let difference = subtractingReportingOverflow(other)
        return difference.overflow ? (other < 0 ? .max : .min) : difference.partialValue
    }
}
