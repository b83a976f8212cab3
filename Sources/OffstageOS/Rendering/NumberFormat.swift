// SPDX-License-Identifier: Apache-2.0
import COffstageOS

/// The format of one value, as in printf: flags, width and precision.
package struct NumberFormat: Sendable, Equatable {
    package var isLeft = false
    package var hasPlus = false
    package var hasSpace = false
    package var isAlternate = false
    package var isZeroPadded = false
    package var width = 0
    package var precision: Int?

    /// The maximum width and precision.
    package static let most = 1000

    package init() {}

    /// Applies a flag; returns whether the character is one.
    mutating func apply(_ flag: Unicode.Scalar) -> Bool {
        switch flag {
        case "-": isLeft = true
        case "+": hasPlus = true
        case " ": hasSpace = true
        case "#": isAlternate = true
        case "0": isZeroPadded = true
        case "'": break
        default: return false
        }
        return true
    }

    /// Applies a width from an argument; a negative one aligns to the left, as in printf.
    mutating func apply(width number: Int) {
        if number < 0 { isLeft = true }
        width = number < 0 ? min(Int(clamping: number.magnitude), Self.most) : min(number, Self.most)
    }

    /// Applies a precision from an argument; a negative one means no precision.
    mutating func apply(precision number: Int) { precision = number < 0 ? nil : min(number, Self.most) }

    /// Formats a string: cuts it to the precision, and pads it.
    package func text(_ text: String) -> String { padded(precision.map { String(text.prefix($0)) } ?? text) }

    /// Formats an integer, for the conversions `d`, `u`, `o`, `x`, `X` and their equivalents.
    package func integer(_ number: LoggedInteger, _ conversion: Unicode.Scalar = "d") -> String {
        let digits: String
        var sign = ""
        switch conversion {
        case "o", "O":
            digits = String(number.bits, radix: 8)
            if isAlternate, number.bits != 0 { sign = "0" }
        case "x", "p":
            digits = String(number.bits, radix: 16)
            if isAlternate && number.bits != 0 || conversion == "p" { sign = "0x" }
        case "X":
            digits = String(number.bits, radix: 16, uppercase: true)
            if isAlternate, number.bits != 0 { sign = "0X" }
        case "u", "U": digits = String(number.bits)
        default:
            digits = String(number.magnitude)
            sign = number.isNegative ? "-" : hasPlus ? "+" : hasSpace ? " " : ""
        }
        return signed(sign, digits)
    }

    /// Formats a floating-point number, for the conversions `f`, `e`, `g`, `a` and their capitals.
    package func floating(_ number: Double, _ conversion: Unicode.Scalar = "f") -> String {
        var flags = isLeft ? "-" : ""
        if hasPlus { flags += "+" }
        if hasSpace { flags += " " }
        if isAlternate { flags += "#" }
        if isZeroPadded { flags += "0" }
        // The greatest number has 309 digits before the point.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * Self.most) { room in
            guard let start = room.baseAddress else { return "" }
            let length = offstage_os_format(
                start,
                room.count,
                flags,
                Int32(clamping: width),
                precision.map { Int32(clamping: $0) } ?? -1,
                CChar(truncatingIfNeeded: conversion.value),
                number
            )
            return length < 0 ? "\(number)" : String(cString: start)
        }
    }

    private func signed(_ sign: String, _ digits: String) -> String {
        var digits = digits
        if let precision {
            digits = precision == 0 && digits == "0" ? "" : zeros(precision - digits.count) + digits
        } else if isZeroPadded, !isLeft {
            digits = zeros(width - sign.count - digits.count) + digits
        }
        return padded(sign + digits)
    }

    private func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }

    package func padded(_ text: String) -> String {
        let room = width - text.count
        guard room > 0 else { return text }
        let blanks = String(repeating: " ", count: room)
        return isLeft ? text + blanks : blanks + text
    }
}
