// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON payloads of frames.
package enum WireCoding {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
