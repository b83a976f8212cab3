// SPDX-License-Identifier: Apache-2.0

/// The format of a floating-point number in a message.
public struct OSLogFloatFormatting: Sendable {
    let format: NumberFormat
    let conversion: Unicode.Scalar

    private init(
        _ conversion: Unicode.Scalar,
        _ capital: Unicode.Scalar? = nil,
        precision: Int? = nil,
        hasPlus: Bool = false,
        uppercase: Bool = false
    ) {
        var format = NumberFormat()
        format.hasPlus = hasPlus
        if let precision { format.apply(precision: max(0, precision)) }
        self.format = format
        self.conversion = uppercase ? capital ?? conversion : conversion
    }

    /// `3.141593`.
    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting("f") }

    /// `+3.141593`.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether infinity and NaN are capitalized.
    /// - Returns: the format.
    public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", "F", hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `3.14`.
    ///
    /// - Parameters:
    ///   - precision: the number of digits after the point.
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether infinity and NaN are capitalized.
    /// - Returns: the format.
    public static func fixed(
        precision: @autoclosure () -> Int,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", "F", precision: precision(), hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `0x1.921fb6p+1`.
    public static var hex: OSLogFloatFormatting { OSLogFloatFormatting("a") }

    /// `0X1.921FB6P+1`.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether digits are capitals.
    /// - Returns: the format.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("a", "A", hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `3.141593e+00`.
    public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting("e") }

    /// `3.141593E+00`.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether the exponent's letter is a capital.
    /// - Returns: the format.
    public static func exponential(
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", "E", hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `3.14e+00`.
    ///
    /// - Parameters:
    ///   - precision: the number of digits after the point.
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether the exponent's letter is a capital.
    /// - Returns: the format.
    public static func exponential(
        precision: @autoclosure () -> Int,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", "E", precision: precision(), hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `3.14159`, or with an exponent if that is shorter.
    public static var hybrid: OSLogFloatFormatting { OSLogFloatFormatting("g") }

    /// `+3.14159`, or with an exponent if that is shorter.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether the exponent's letter is a capital.
    /// - Returns: the format.
    public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", "G", hasPlus: explicitPositiveSign, uppercase: uppercase)
    }

    /// `3.14`, or with an exponent if that is shorter.
    ///
    /// - Parameters:
    ///   - precision: the number of significant digits.
    ///   - explicitPositiveSign: whether positive numbers have a sign.
    ///   - uppercase: whether the exponent's letter is a capital.
    /// - Returns: the format.
    public static func hybrid(
        precision: @autoclosure () -> Int,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", "G", precision: precision(), hasPlus: explicitPositiveSign, uppercase: uppercase)
    }
}
