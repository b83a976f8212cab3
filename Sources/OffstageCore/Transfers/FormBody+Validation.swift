// SPDX-License-Identifier: Apache-2.0

/// The checks that ensure that every receiver reads a form as it was meant.
extension FormBody {
    /// More parts than any common receiver accepts.
    package static let mostParts = 1000
    /// The most bytes of all names, file names, types and values, which are kept in memory and in the store.
    package static let mostText = 256 << 10

    /// Checks a form that a client sent: the daemon does not trust clients to have done so.
    package func validate() throws(RequestError) {
        guard !parts.isEmpty else { throw .invalidValue("A form must have at least one field or file") }
        try checkCount()
        guard (27...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy(Self.isBoundaryByte) else {
            throw .invalidValue("'\(boundary.redactedControls)' cannot separate the parts of a form")
        }
        var length = 0
        var files: Int64 = 0
        for part in parts {
            try part.validate()
            length += part.textLength
            if case .file(let source) = part.content {
                files = files.addingClamped(source.identity.size)
                guard files < ByteCounts.range.upperBound else {
                    throw .invalidValue("The files of the form are too large to be counted")
                }
            }
        }
        guard length <= Self.mostText else {
            throw .invalidValue(
                "The names and values of a form can have \(Self.mostText) bytes together, but these have \(length): put long values into files"
            )
        }
        guard !hasBoundaryInside else {
            throw .invalidValue("A name or value of the form contains what separates its parts")
        }
    }

    func checkCount() throws(RequestError) {
        guard parts.count <= Self.mostParts else {
            throw .invalidValue("A form can have \(Self.mostParts) fields and files, but this one has \(parts.count)")
        }
    }

    /// The characters that WHATWG HTML allows in a boundary: they need no quotes in `Content-Type`.
    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "'"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension FormBody.Part {
    /// Bytes kept with the transfer.
    fileprivate var textLength: Int {
        let value = if case .value(let value) = content { value.utf8.count } else { 0 }
        return name.utf8.count + (fileName?.utf8.count ?? 0) + (contentType?.utf8.count ?? 0) + value
    }

    fileprivate func validate() throws(RequestError) {
        guard !name.isEmpty else { throw .invalidValue("A part of the form has no name") }
        for text in [name, fileName ?? ""] where !Self.isEncodable(text) {
            throw .invalidValue(
                "'\(text.redactedControls)' contains a control character, which names in a form must not have"
            )
        }
        if let contentType, !Self.isContentType(contentType) {
            throw .invalidValue(
                "'\(contentType.redactedControls)' is not a content type: write one such as image/jpeg or text/plain; charset=utf-8"
            )
        }
        if case .file(let source) = content { try source.validate() }
    }

    /// Line breaks are percent-encoded; any other control character would go into the part's header unchanged.
    private static func isEncodable(_ name: String) -> Bool {
        name.utf8.allSatisfy { ($0 >= 32 && $0 != 127) || $0 == 9 || $0 == 10 || $0 == 13 }
    }

    /// Whether a text is `type/subtype`, with or without parameters (RFC 9110, section 8.3.1), on one line.
    package static func isContentType(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        guard rest.allSatisfy({ (32..<127).contains($0) || $0 == 9 }) else { return false }
        guard consumeToken(&rest), rest.popFirst() == UInt8(ascii: "/"), consumeToken(&rest) else { return false }
        while true {
            consumeBlanks(&rest)
            if rest.isEmpty { return true }
            guard rest.popFirst() == UInt8(ascii: ";") else { return false }
            consumeBlanks(&rest)
            // An empty parameter counts as absent.
            guard consumeToken(&rest) else { continue }
            guard rest.popFirst() == UInt8(ascii: "="), consumeToken(&rest) || consumeQuoted(&rest) else {
                return false
            }
        }
    }

    private static func consumeBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 32 || $0 == 9 }
    }

    private static func consumeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let token = rest.prefix(while: HeaderField.isTokenByte)
        rest = rest.dropFirst(token.count)
        return !token.isEmpty
    }

    private static func consumeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return false
    }
}
