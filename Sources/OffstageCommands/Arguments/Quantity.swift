// SPDX-License-Identifier: Apache-2.0

/// Amounts as written on a command line.
package enum Quantity {
    /// Bytes with curl's suffixes: `200`, `500k`, `1.5M`, `2G`; 1k is 1024. Nil for anything else or a negative number.
    package static func bytes(_ text: String) -> Int64? {
        var digits = text[...]
        var factor = 1.0
        switch digits.last {
        case "b", "B": digits.removeLast()
        case "k", "K": (factor, digits) = (1024, digits.dropLast())
        case "m", "M": (factor, digits) = (1_048_576, digits.dropLast())
        case "g", "G": (factor, digits) = (1_073_741_824, digits.dropLast())
        case "t", "T": (factor, digits) = (1_099_511_627_776, digits.dropLast())
        default: break
        }
        guard let number = decimal(digits), number * factor < 9e18 else { return nil }
        return Int64(number * factor)
    }

    /// Whether an amount has no unit.
    package static func isBare(_ text: String) -> Bool { text.last.map { $0.isNumber || $0 == "." } ?? true }

    /// Whether a unit was probably forgotten, as 7 bytes per second would practically stop everything.
    package static func isSlip(_ text: String, _ bytes: Int64) -> Bool { isBare(text) && bytes > 0 && bytes < 1024 }

    /// Seconds: `90`, `1.5`, or with units: `30s`, `10m`, `2h`, `7d`, `2h30m`. Nil for anything else.
    package static func seconds(_ text: String) -> Double? {
        if let plain = decimal(text[...]) { return plain }
        var total = 0.0
        var digits = ""
        for character in text {
            if character.isASCII, character.isNumber || character == "." {
                digits.append(character)
                continue
            }
            let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]
            guard let unit = units[character], let number = decimal(digits[...]) else { return nil }
            total += number * unit
            digits = ""
        }
        return digits.isEmpty && !text.isEmpty ? total : nil
    }

    /// Parses digits with at most one point: no sign, exponent, `inf` or `nan`.
    private static func decimal(_ text: Substring) -> Double? {
        guard text.utf8.count <= 18, text.utf8.contains(where: { (48...57).contains($0) }),
            text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }

    /// A whole number from 0.
    package static func count(_ text: String) -> Int? {
        guard text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    /// 0 to 1, or `low`, `normal`, `high`.
    package static func priority(_ text: String) -> Double? {
        switch text {
        case "low": 0.25
        case "normal": 0.5
        case "high": 0.75
        default: decimal(text[...]).flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }
}
