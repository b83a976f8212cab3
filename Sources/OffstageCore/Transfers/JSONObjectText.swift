// SPDX-License-Identifier: Apache-2.0

/// The text of one JSON object, written member by member: for objects that are written a hundred thousand times.
struct JSONObjectText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    init(capacity: Int = 512) {
        text.reserveCapacity(capacity)
    }

    /// The whole object; nothing can be added afterwards.
    consuming func finish() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        return text
    }

    mutating func add(_ key: StaticString, _ value: String) {
        begin(key)
        append(value)
    }

    mutating func add(_ key: StaticString, _ values: some Sequence<String>) {
        begin(key)
        text.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            append(value)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// Adds a value that is JSON already: a number, `true` or an array of them.
    mutating func add(_ key: StaticString, literal: String) {
        begin(key)
        text.append(contentsOf: literal.utf8)
    }

    mutating func add(_ key: StaticString, object: JSONObjectText) {
        begin(key)
        text.append(contentsOf: object.finish())
    }

    private mutating func begin(_ key: StaticString) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        text.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { text.append(contentsOf: $0) }
        text.append(UInt8(ascii: "\""))
        text.append(UInt8(ascii: ":"))
    }

    /// RFC 8259, section 7: quotation mark, backslash and everything below the space are escaped.
    private mutating func append(_ value: String) {
        text.append(UInt8(ascii: "\""))
        if value.utf8.contains(where: { $0 < 32 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            for byte in value.utf8 { appendEscaped(byte) }
        } else {
            text.append(contentsOf: value.utf8)
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        case 0..<32:
            text.append(contentsOf: "\\u00".utf8)
            text.append(contentsOf: (byte < 16 ? "0" : "").utf8)
            text.append(contentsOf: String(byte, radix: 16).utf8)
        default:
            text.append(byte)
        }
    }
}
