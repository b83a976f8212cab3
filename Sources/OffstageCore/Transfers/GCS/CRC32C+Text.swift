// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A CRC32C as Google writes it: the Base64 of its four bytes, the highest first.
extension CRC32C: Codable {
    package var text: String { Data(bytes).base64EncodedString() }

    /// Nil for anything else.
    package init?(text: String) {
        guard text.utf8.count == Self.textLength, let bytes = Data(base64Encoded: text), let read = CRC32C(bytes) else {
            return nil
        }
        self = read
    }

    private static let textLength = 8

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let read = CRC32C(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no CRC32C")
        }
        self = read
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
