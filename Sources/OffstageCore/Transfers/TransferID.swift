// SPDX-License-Identifier: Apache-2.0

/// The number that a person types for a transfer: it counts up from 1 in one store and is never reused.
package struct TransferID: RawRepresentable, Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    package let rawValue: Int64

    /// The greatest number that a store assigns, which every reader of JSON represents exactly. Greater numbers in a
    /// store's file are not Offstage's, and leave room for further ones.
    package static let greatest: Int64 = 1 << 53 - 1

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package static func < (left: TransferID, right: TransferID) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { String(rawValue) }
}
