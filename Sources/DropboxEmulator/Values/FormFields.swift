// SPDX-License-Identifier: Apache-2.0

/// Fields in `application/x-www-form-urlencoded`.
enum FormFields {
    /// - Returns: names and values, the first of several with the same name; nil if a percent sign is not followed by a
    ///   number.
    static func parse(_ bytes: [UInt8]) -> [String: String]? {
        var fields: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0]), let value = parts.count == 2 ? decode(parts[1]) : "" else { return nil }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2
                else {
                    return nil
                }
                result.append(code)
                rest = rest.dropFirst(2)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes a text as a value in a URL's query.
    static func encode(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }

    /// Escapes a text for HTML.
    static func html(_ text: String) -> String {
        text.reduce(into: "") { page, letter in
            switch letter {
            case "&": page += "&amp;"
            case "<": page += "&lt;"
            case ">": page += "&gt;"
            case "\"": page += "&quot;"
            default: page.append(letter)
            }
        }
    }
}
