// SPDX-License-Identifier: Apache-2.0

/// The format of an integer in a message.
public struct OSLogIntegerFormatting: Sendable {
    let format: NumberFormat
    let conversion: Unicode.Scalar

    private init(_ conversion: Unicode.Scalar, hasPlus: Bool = false, prefix: Bool = false, minDigits: Int? = nil) {
        var format = NumberFormat()
        format.hasPlus = hasPlus
        format.isAlternate = prefix
        if let minDigits { format.apply(precision: max(0, minDigits)) }
        self.format = format
        self.conversion = conversion
    }

    /// `-12`.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting("d") }

    /// `+12`.
    ///
    /// - Parameter explicitPositiveSign: whether positive numbers have a sign.
    /// - Returns: the format.
    public static func decimal(explicitPositiveSign: Bool = false) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting("d", hasPlus: explicitPositiveSign)
    }

    /// `+0012`.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - minDigits: the minimum number of digits.
    /// - Returns: the format.
    public static func decimal(
        explicitPositiveSign: Bool = false,
        minDigits: @autoclosure () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting("d", hasPlus: explicitPositiveSign, minDigits: minDigits())
    }

    /// `c`: the bits of the number, in hexadecimal.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting("x") }

    /// `0xC`: the bits of the number, in hexadecimal.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: has no effect, since bits have no sign.
    ///   - includePrefix: whether the digits follow `0x`.
    ///   - uppercase: whether digits are capitals.
    /// - Returns: the format.
    public static func hex(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(uppercase ? "X" : "x", prefix: includePrefix)
    }

    /// `0x00C`: the bits of the number, in hexadecimal.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: has no effect, since bits have no sign.
    ///   - includePrefix: whether the digits follow `0x`.
    ///   - uppercase: whether digits are capitals.
    ///   - minDigits: the minimum number of digits.
    /// - Returns: the format.
    public static func hex(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: @autoclosure () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(uppercase ? "X" : "x", prefix: includePrefix, minDigits: minDigits())
    }

    /// `14`: the bits of the number, in octal.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting("o") }

    /// `014`: the bits of the number, in octal.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: has no effect, since bits have no sign.
    ///   - includePrefix: whether the digits follow `0`.
    ///   - uppercase: has no effect.
    /// - Returns: the format.
    public static func octal(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting("o", prefix: includePrefix)
    }

    /// `0014`: the bits of the number, in octal.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: has no effect, since bits have no sign.
    ///   - includePrefix: whether the digits follow `0`.
    ///   - uppercase: has no effect.
    ///   - minDigits: the minimum number of digits.
    /// - Returns: the format.
    public static func octal(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: @autoclosure () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting("o", prefix: includePrefix, minDigits: minDigits())
    }
}
