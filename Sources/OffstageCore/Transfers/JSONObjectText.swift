// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The text of one JSON object, written member by member, for objects that are written a hundred thousand times.
package struct JSONObjectText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    package init(capacity: Int = 512) {
        text.reserveCapacity(capacity)
    }

    /// The whole object; nothing can be added afterwards.
    package consuming func finish() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        return text
    }

    package mutating func add(_ key: StaticString, _ value: String) {
        begin(key)
        text.append(jsonString: value)
    }

    package mutating func add(_ key: StaticString, _ values: some Sequence<String>) {
        begin(key)
        text.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text.append(jsonString: value)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// Adds a value that is already JSON: a number, `true` or an array of such values.
    package mutating func add(_ key: StaticString, literal: String) {
        begin(key)
        text.append(contentsOf: literal.utf8)
    }

    package mutating func add(_ key: StaticString, number: Int64) {
        begin(key)
        text.append(contentsOf: String(number).utf8)
    }

    /// Adds a date as the seconds since 2001. Only a finite number is JSON.
    package mutating func add(_ key: StaticString, _ date: Date) {
        add(key, literal: "\(date.timeIntervalSinceReferenceDate)")
    }

    package mutating func add(_ key: StaticString, _ moment: Moment) {
        begin(key)
        text.append(UInt8(ascii: "["))
        // checked: both numbers are in the ranges of their rules, and so finite
        text.append(contentsOf: "\(moment.wall.timeIntervalSinceReferenceDate),\(moment.uptime),".utf8)
        text.append(jsonString: moment.bootID)
        text.append(UInt8(ascii: "]"))
    }

    package mutating func add(_ key: StaticString, _ identity: FileIdentity) {
        add(key, literal: "[\(identity.device),\(identity.inode),\(identity.size),\(identity.modified)]")
    }

    package mutating func add(_ key: StaticString, object: JSONObjectText) {
        begin(key)
        text.append(contentsOf: object.finish())
    }

    /// Adds a case of an enumeration with its associated values.
    package mutating func add(_ key: StaticString, case name: StaticString, _ values: JSONObjectText) {
        begin(key)
        text.append(UInt8(ascii: "{"))
        text.append(jsonKey: name)
        text.append(contentsOf: values.finish())
        text.append(UInt8(ascii: "}"))
    }

    private mutating func begin(_ key: StaticString) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        text.append(jsonKey: key)
    }
}

extension [UInt8] {
    fileprivate mutating func append(jsonKey key: StaticString) {
        append(UInt8(ascii: "\""))
        key.withUTF8Buffer { append(contentsOf: $0) }
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
    }

    /// RFC 8259, section 7: quotation mark, backslash and everything below the space are escaped.
    fileprivate mutating func append(jsonString value: String) {
        append(UInt8(ascii: "\""))
        if value.utf8.contains(where: { $0 < 32 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            for byte in value.utf8 { append(escaped: byte) }
        } else {
            append(contentsOf: value.utf8)
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        case 0..<32:
            append(contentsOf: "\\u00".utf8)
            append(contentsOf: (byte < 16 ? "0" : "").utf8)
            append(contentsOf: String(byte, radix: 16).utf8)
        default:
            append(byte)
        }
    }
}
