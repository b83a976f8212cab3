// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A JSON value, as needed for Dropbox's API: for requests, and for answers, whose unions are open.
package indirect enum DropboxJSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([DropboxJSON])
    case object([String: DropboxJSON])

    /// Parses a complete JSON text; nil if it is invalid.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? ForeignJSON.decode(DropboxJSON.self, from: bytes) else { return nil }
        self = value
    }

    /// A member of an object; null for any other value.
    package subscript(name: String) -> DropboxJSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    package var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// The member of a union: the tag of an object, or a bare string.
    package var tag: String? { string ?? self[".tag"].string }
}

extension DropboxJSON: Decodable {
    package init(from decoder: any Decoder) throws {
        // The most frequent type comes first: each wrong guess creates an error.
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if container.decodeNil() {
            self = .null
        } else if let members = try? container.decode([String: DropboxJSON].self) {
            self = .object(members)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .array(try container.decode([DropboxJSON].self))
        }
    }
}

extension DropboxJSON: ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral {
    package init(dictionaryLiteral members: (String, DropboxJSON)...) {
        self = .object(Dictionary(members) { first, _ in first })
    }

    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(stringLiteral text: String) { self = .string(text) }
}
