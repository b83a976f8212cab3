// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON as a program in another language would see it: a test that reads a command's output with it also checks the
/// shape.
@dynamicMemberLookup
package enum JSONValue: Decodable, Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(parsing text: String) throws {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        } catch {
            throw TestError("That is not JSON (\(error)): \(text)")
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package subscript(dynamicMember name: String) -> JSONValue { self[name] }

    package subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    package subscript(index: Int) -> JSONValue {
        array.indices.contains(index) ? array[index] : .null
    }

    package var array: [JSONValue] { if case .array(let values) = self { values } else { [] } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    package var integer: Int? { number.map { Int($0) } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var keys: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }
}
