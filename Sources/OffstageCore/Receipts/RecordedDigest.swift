// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 of a transfer's whole file that is kept with it (`--digest`): for an upload from the hand-over, for a
/// download from the moment it is saved.
package enum RecordedDigest: Sendable, Hashable, Codable {
    /// Not computed yet.
    case wanted
    case known(Checksum)

    package var checksum: Checksum? { if case .known(let checksum) = self { checksum } else { nil } }

    /// `wanted`, or `sha256:` and the digits.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if text == Self.wish {
            self = .wanted
        } else if let checksum = try? Checksum(parsing: text) {
            self = .known(checksum)
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no SHA-256")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(checksum?.description ?? Self.wish)
    }

    private static let wish = "wanted"
}
