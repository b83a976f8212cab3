// SPDX-License-Identifier: Apache-2.0

/// The file name in a `Content-Disposition` field (RFC 6266).
///
/// Read as curl and browsers read it, since servers write it in many ways: without quotes, with spaces, with a path.
/// The result comes from the server and is not trusted: only `SafeFileName` turns it into a file name.
package struct ContentDisposition: Sendable, Equatable {
    /// `filename`, without its quotes.
    package private(set) var plainName: String?
    /// `filename*`, decoded (RFC 8187).
    package private(set) var extendedName: String?

    /// Reads a field's value, skipping malformed parts.
    package init(_ value: String) {
        var rest = Array(value.utf8)[...]
        while !rest.isEmpty {
            let (name, value) = Self.consumeParameter(from: &rest)
            switch name {
            case "filename": if plainName == nil, let value { plainName = String(decoding: value, as: UTF8.self) }
            case "filename*": if extendedName == nil { extendedName = value.flatMap(Self.decoded) }
            default: break
            }
        }
    }

    /// The name that a response's fields give to its content, made safe; nil if they give none.
    package static func fileName(in fields: [HeaderField]) -> String? {
        for field in fields where field.name.caseInsensitiveEquals("Content-Disposition") {
            let disposition = ContentDisposition(field.value)
            // RFC 6266, section 4.3: the extended form takes precedence.
            for name in [disposition.extendedName, disposition.plainName] {
                if let name = name.flatMap(SafeFileName.of) { return name }
            }
        }
        return nil
    }

    /// Consumes everything up to the next semicolon outside quotes.
    ///
    /// - Returns: the name in lower case, and the value, which is absent for the disposition type.
    private static func consumeParameter(from rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8]?) {
        let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        rest = rest.dropFirst(name.count)
        let key = String(decoding: trimmed(name), as: UTF8.self).lowercased()
        guard rest.popFirst() == UInt8(ascii: "=") else { return (key, nil) }
        rest = rest.drop(while: isBlank)
        let value: [UInt8]
        if rest.first == UInt8(ascii: "\"") {
            value = consumeQuoted(from: &rest)
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        } else {
            let word = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(word.count)
            value = Array(trimmed(word))
        }
        rest = rest.dropFirst()
        return (key, value)
    }

    /// Consumes a quoted string, and returns it without its quotes. A backslash before anything but a quote or another
    /// backslash is part of the name: some servers write a Windows path this way.
    private static func consumeQuoted(from rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        let quote = UInt8(ascii: "\"")
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst(), byte != quote {
            if byte == backslash, let next = rest.first, next == quote || next == backslash {
                rest = rest.dropFirst()
                text.append(next)
            } else {
                text.append(byte)
            }
        }
        return text
    }

    /// Decodes `UTF-8''caf%C3%A9.txt` (RFC 8187, section 3.2); nil for another charset or invalid bytes.
    private static func decoded(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let text = parts.last, let bytes = withoutPercent(text) else { return nil }
        switch parts.first.map({ String(decoding: $0, as: UTF8.self).lowercased() }) {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        // Its predecessor, RFC 5987, allowed this as well.
        case "iso-8859-1":
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return String(scalars)
        default: return nil
        }
    }

    private static func withoutPercent(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = text
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)  // checked: two digits below 16
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { UInt8(exactly: $0) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return bytes
    }
}
