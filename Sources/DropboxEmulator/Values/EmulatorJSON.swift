// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Any JSON value, as the routes accept and return it.
package enum EmulatorJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([EmulatorJSON])
    case object([String: EmulatorJSON])

    /// - Returns: nil unless it is exactly one JSON value.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(EmulatorJSON.self, from: Data(bytes)) else { return nil }
        self = value
    }

    package init?(parsing text: String) {
        self.init(parsing: Array(text.utf8))
    }

    /// A union's member without a value, or with a struct's fields beside its tag.
    package static func tag(_ name: String, _ fields: [String: EmulatorJSON] = [:]) -> EmulatorJSON {
        .object(fields.merging([".tag": .string(name)]) { _, tag in tag })
    }

    /// A union's member whose value is a union, which is nested under the member's own name.
    package static func tag(_ name: String, nesting value: EmulatorJSON) -> EmulatorJSON {
        .object([".tag": .string(name), name: value])
    }

    package subscript(name: String) -> EmulatorJSON {
        if case .object(let fields) = self { fields[name] ?? .null } else { .null }
    }

    package subscript(index: Int) -> EmulatorJSON {
        array.indices.contains(index) ? array[index] : .null
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [EmulatorJSON] { if case .array(let values) = self { values } else { [] } }
    package var object: [String: EmulatorJSON]? { if case .object(let fields) = self { fields } else { nil } }

    /// The name of the value's type, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "float"
        case .string: "string"
        case .array: "list"
        case .object: "object"
        }
    }

    /// The value as JSON text on one line, with names in alphabetical order.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail: the numbers come from JSON or are counts.
        guard let data = try? encoder.encode(self) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Like `text`, with everything but printable ASCII escaped, as a header requires.
    package var headerText: String {
        var result = ""
        for unit in text.utf16 {
            if let scalar = Unicode.Scalar(unit), scalar.isASCII, unit != 0x7F {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }
}

extension EmulatorJSON: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([EmulatorJSON].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: EmulatorJSON].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let fields): try container.encode(fields)
        }
    }
}

extension EmulatorJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: EmulatorJSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, EmulatorJSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
