// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Bytes encoded as Base64 text in JSON: an array of numbers would be four times as long.
package struct Base64Bytes: Sendable, Hashable, Codable {
    package var bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let data = Data(base64Encoded: text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not Base64"))
        }
        bytes = Array(data)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}
