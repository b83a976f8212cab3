// SPDX-License-Identifier: Apache-2.0

/// The value of a `Dropbox-API-Arg` header: JSON in printable ASCII only.
///
/// HTTP has no encoding for header values, so every character beyond ASCII is written as `\uXXXX`, one for each UTF-16
/// unit. So is 0x7F, which JSON allows and HTTP does not.
package enum DropboxArgument {
    package static func text(_ value: DropboxJSON) -> String {
        var text: [UInt8] = []
        append(value, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ value: DropboxJSON, to text: inout [UInt8]) {
        switch value {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let number): text += "\(number)".utf8
        case .number(let number): text += (number.isFinite ? "\(number)" : "null").utf8
        case .string(let string): append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            // Sorted, so that the same request always has the same text.
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for unit in string.utf16 {
            switch unit {
            case 0x22, 0x5C: text += [UInt8(ascii: "\\"), UInt8(unit)]
            case 0x20..<0x7F: text.append(UInt8(unit))
            default:
                text += "\\u".utf8
                for shift in [12, 8, 4, 0] { text.append(digits[Int(unit >> UInt16(shift)) & 15]) }
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
