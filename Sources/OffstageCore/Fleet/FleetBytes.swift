// SPDX-License-Identifier: Apache-2.0

/// Bytes as text, as PostgreSQL writes and reads the type `bytea`: `\x` and hexadecimal digits.
package enum FleetBytes {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = Array("\\x".utf8)
        text.reserveCapacity(bytes.count * 2 + 2)  // checked: bytes that are in memory
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything else, and for more than `most` bytes.
    package static func read(_ text: String?, most: Int) -> [UInt8]? {
        guard let text, text.hasPrefix("\\x") else { return nil }
        let digits = text.utf8.dropFirst(2)
        guard digits.count % 2 == 0, digits.count / 2 <= most else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        // checked: between constants
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10  // checked: 15 at most
        default: nil
        }
    }
}
