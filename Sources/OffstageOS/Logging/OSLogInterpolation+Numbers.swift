// SPDX-License-Identifier: Apache-2.0
public import Foundation

// Numbers and Boolean values are public by default.
extension OSLogInterpolation {
    /// Adds an integer.
    ///
    /// - Parameters:
    ///   - number: the integer.
    ///   - format: how to write the value.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure () -> T,
        format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) {
            format.format.integer(LoggedInteger(number()), format.conversion)
        }
    }

    /// Adds an integer with a meaning.
    ///
    /// - Parameters:
    ///   - number: the integer.
    ///   - format: the value's meaning.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Int,
        format: OSLogIntExtendedFormat,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) { format.meaning.text(of: LoggedInteger(number())) }
    }

    /// Adds an integer with a meaning.
    ///
    /// - Parameters:
    ///   - number: the integer.
    ///   - format: the value's meaning.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Int32,
        format: OSLogInt32ExtendedFormat,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) { format.meaning.text(of: LoggedInteger(number())) }
    }

    /// Adds a floating-point number.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - format: how to write the value.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Double,
        format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) { format.format.floating(number(), format.conversion) }
    }

    /// Adds a floating-point number.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - format: how to write the value.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Float,
        format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) { format.format.floating(Double(number()), format.conversion) }
    }

    /// Adds a floating-point number.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - format: how to write the value.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> CGFloat,
        format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy, align) { format.format.floating(Double(number()), format.conversion) }
    }

    /// Adds a Boolean value.
    ///
    /// - Parameters:
    ///   - boolean: the value.
    ///   - format: how to write the value.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure () -> Bool,
        format: OSLogBoolFormat = .truth,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        let meaning: ValueMeaning = format == .truth ? .truth : .answer
        append(isPersonal: false, privacy, align) { meaning.text(of: LoggedInteger(boolean() ? 1 : 0)) }
    }
}
