// SPDX-License-Identifier: Apache-2.0

/// One escaped character: in a URL, in JSON or source code, or in HTML.
struct TextEscape {
    /// Its UTF-8.
    let meaning: [UInt8]
    /// The number of bytes that it takes in the text.
    let length: Int

    private init(_ meaning: [UInt8], _ length: Int) {
        self.meaning = meaning
        self.length = length
    }

    /// Reads the escape that begins at a byte; nil if none does.
    init?(at index: Int, in bytes: [UInt8]) {
        let found: TextEscape? =
            switch bytes[index] {
            case UInt8(ascii: "%"): Self.number(bytes, index + 1, digits: 2).map { .init([UInt8($0 & 255)], 3) }
            case UInt8(ascii: "\\"): Self.backslash(bytes, index)
            case UInt8(ascii: "&"): Self.entity(bytes, index)
            default: nil
            }
        guard let found else { return nil }
        self = found
    }

    /// Reads this many hexadecimal digits.
    private static func number(_ bytes: [UInt8], _ start: Int, digits: Int) -> UInt32? {
        guard start + digits <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[start..<start + digits] {
            guard let digit = DecodedText.nibble(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private static func utf8(_ value: UInt32) -> [UInt8] {
        Unicode.Scalar(value).map { Array(String(Character($0)).utf8) } ?? []
    }

    private static func backslash(_ bytes: [UInt8], _ index: Int) -> TextEscape? {
        guard index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            guard let high = number(bytes, index + 2, digits: 4) else { return nil }
            if (0xD800..<0xDC00).contains(high), index + 7 < bytes.count, bytes[index + 6] == UInt8(ascii: "\\"),
                let low = number(bytes, index + 8, digits: 4), (0xDC00..<0xE000).contains(low)
            {
                return .init(utf8(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)), 12)
            }
            return .init(utf8(high), 6)
        case UInt8(ascii: "x"):
            return number(bytes, index + 2, digits: 2).map { .init([UInt8($0 & 255)], 4) }
        case UInt8(ascii: "n"): return .init([10], 2)
        case UInt8(ascii: "r"): return .init([13], 2)
        case UInt8(ascii: "t"): return .init([9], 2)
        case UInt8(ascii: "b"), UInt8(ascii: "f"): return .init([32], 2)
        case let byte: return .init([byte], 2)
        }
    }

    private static func entity(_ bytes: [UInt8], _ index: Int) -> TextEscape? {
        guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        let length = end - index + 1
        guard name.hasPrefix("#") else { return names[name].map { .init(Array($0.utf8), length) } }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.map { .init(utf8($0), length) }
    }

    /// The HTML names that a token, a password or a cookie may need.
    private static let names: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "sol": "/", "bsol": "\\", "plus": "+",
        "equals": "=", "colon": ":", "semi": ";", "comma": ",", "period": ".", "lowbar": "_", "num": "#", "excl": "!",
        "dollar": "$", "percnt": "%", "lpar": "(", "rpar": ")", "ast": "*", "quest": "?", "commat": "@", "lsqb": "[",
        "lbrack": "[", "rsqb": "]", "rbrack": "]", "Hat": "^", "grave": "`", "lcub": "{", "lbrace": "{", "rcub": "}",
        "rbrace": "}", "vert": "|", "verbar": "|", "hyphen": "-", "dash": "-", "Tab": "\t", "NewLine": "\n",
    ]
}
