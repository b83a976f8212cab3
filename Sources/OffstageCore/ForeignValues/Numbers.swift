// SPDX-License-Identifier: Apache-2.0

/// Numbers out of text and out of floating point, without a trap and without a guess.
extension FixedWidthInteger {
    /// Reads a number of ASCII digits alone, as protocols write it: no sign, no blank, nothing that does not fit.
    package init?(digits text: some StringProtocol) {
        guard let value = Self(digits: text.utf8) else { return nil }
        self = value
    }

    /// Reads bytes that are ASCII digits alone.
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

    /// The nearest whole number, rounded towards zero; 0 for what is no number.
    package init(nearest value: Double) {
        if let exact = Self(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
        }
    }

    /// The sum, or the largest number there is (the smallest, where both are negative).
    package func addingClamped(_ other: Self) -> Self {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? (other < 0 ? .min : .max) : sum.partialValue
    }

    /// The difference, or the nearest number there is.
    package func subtractingClamped(_ other: Self) -> Self {
        let difference = subtractingReportingOverflow(other)
        return difference.overflow ? (other < 0 ? .max : .min) : difference.partialValue
    }
}
