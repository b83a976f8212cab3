// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The parts of an S3 upload that the server is known to have.
struct StoredParts: Sendable {
    /// A part that the server has.
    struct Part: Sendable, Equatable {
        var tag: String
        /// The SHA-256 in base64; nil if the endpoint keeps none.
        var checksum: String?
    }

    /// The part of the server's list that must still be requested.
    enum Listing: Sendable, Equatable {
        /// The parts after this one.
        case after(Int)
        /// Nothing.
        case complete
    }

    var listing: Listing
    private var parts: [Int: Part] = [:]
    /// Bytes of the stored parts.
    private(set) var bytes: Int64 = 0
    /// The first part that has not arrived.
    private(set) var firstMissing = 1

    init(_ listing: Listing) { self.listing = listing }

    var count: Int { parts.count }
    /// The parts, in order.
    var all: [Part] { parts.sorted { $0.key < $1.key }.map(\.value) }

    func contains(_ number: Int) -> Bool { parts[number] != nil }

    /// Records a part of this many bytes that the server has.
    mutating func insert(_ number: Int, _ part: Part, bytes count: Int64) {
        guard parts[number] == nil else { return }
        parts[number] = part
        bytes = bytes.addingClamped(count)
        // checked: it stops at a part that is missing
        while parts[firstMissing] != nil { firstMissing += 1 }
    }
}
