// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Payloads of frames: JSON unless stated otherwise.
package enum WireCoding {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        if let value = value as? any EncodedPayload { return try value.encoded() }
        return Array(try JSONEncoder().encode(value))
    }

    /// Decodes a payload with a limited number of values: texts, numbers and brackets.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8],
        values limit: Int = .max
    ) throws -> Value {
        if let value = try binary(type, bytes) { return value }
        return try ForeignJSON.decode(type, from: bytes, values: limit)
    }

    /// Decodes a message from the daemon. An invalid number or date becomes the nearest valid one, rather than costing
    /// a whole list.
    package static func decodeFromDaemon<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        if let value = try binary(type, bytes) { return value }
        try JSONShape.check(bytes)
        return try ForeignJSON.storeDecoder().decode(type, from: Data(bytes))
    }

    private static func binary<Value>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value? {
        guard let type = type as? any BinaryPayload.Type else { return nil }
        return try type.init(bytes) as? Value
    }
}

/// A payload that needs no encoder.
protocol EncodedPayload {
    /// - Throws: `EncodingError` for a number that JSON cannot express.
    func encoded() throws -> [UInt8]
}

/// A payload with its own layout, for amounts of data where JSON would take most of the time.
protocol BinaryPayload: EncodedPayload {
    /// - Throws: `DecodingError` for invalid bytes.
    init(_ bytes: [UInt8]) throws
}
