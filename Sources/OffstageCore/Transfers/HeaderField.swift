// SPDX-License-Identifier: Apache-2.0

/// One HTTP header field (RFC 9110, section 5); parsing from text guards against header injection.
package struct HeaderField: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `Name: value`, the form of curl's `-H`.
    ///
    /// - Throws: `RequestError.invalidHeader` if there is no colon, the name is not a token, or the value contains a
    ///   line break or a NUL, which would smuggle a second header into the request.
    package init(parsing line: String) throws(RequestError) {
        guard let colon = line.firstIndex(of: ":") else {
            throw .invalidHeader("it has no colon; write it as 'Name: value'")
        }
        self.name = String(line[..<colon])
        let rest = line[line.index(after: colon)...]
        self.value = String(rest.drop(while: { $0 == " " || $0 == "\t" }))
        try validate()
    }

    /// Reads one JSON string, `Name: value`: a record holds many fields, and an object for each takes three times as
    /// long.
    package init(from decoder: any Decoder) throws {
        let line = try decoder.singleValueContainer().decode(String.self)
        // Bytes, not characters: a value may begin with a combining mark, which would join the space.
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].dropFirst().first == UInt8(ascii: " ")
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a header field")
            )
        }
        name = String(decoding: bytes[..<colon], as: UTF8.self)
        value = String(decoding: bytes[colon...].dropFirst(2), as: UTF8.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(line)
    }

    /// The field as one line of text, as in JSON.
    var line: String { "\(name): \(value)" }

    /// Refuses a field that RFC 9110 does not allow.
    package func validate() throws(RequestError) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw .invalidHeader(
                "'\(name.redactedControls)' is not a header name (RFC 9110 allows letters, digits and !#$%&'*+-.^_`|~)"
            )
        }
        guard !value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
            throw .invalidHeader(
                "the value of '\(name)' contains a line break or NUL, which would forge another header"
            )
        }
    }

    /// Whether a byte may be part of a token (RFC 9110, section 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Sequence where Element == HeaderField {
    /// The first value of the field of that name, compared case-insensitively.
    package subscript(name: String) -> String? {
        first { $0.name.caseInsensitiveEquals(name) }?.value
    }
}

extension String {
    /// Compares ASCII text case-insensitively.
    package func caseInsensitiveEquals(_ other: String) -> Bool {
        utf8.count == other.utf8.count && lowercased() == other.lowercased()
    }
}
