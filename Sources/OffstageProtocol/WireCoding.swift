// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Payloads of frames: JSON, but for what says otherwise.
package enum WireCoding {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        if let value = value as? any BinaryPayload { return value.encoded() }
        return Array(try JSONEncoder().encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        if let type = type as? any BinaryPayload.Type, let value = try type.init(bytes) as? Value { return value }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// A payload with a layout of its own, where there is so much that JSON would cost most of the time.
protocol BinaryPayload {
    /// - Throws: `DecodingError` for bytes that are none.
    init(_ bytes: [UInt8]) throws
    func encoded() -> [UInt8]
}
