// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Digests that attempts have computed, for the attempts after them: nothing is hashed twice while the daemon lives and
/// the file stays the same. In memory alone, and bounded.
package struct DigestCache: Sendable {
    private struct Entry {
        var file: FileIdentity
        var digests: BlockDigests
        /// Grows with each that is kept: the smallest is the oldest.
        var number: Int
    }

    private var entries: [TransferID: Entry] = [:]
    private var nextNumber = 0
    /// Bytes that all of it takes.
    package private(set) var bytes = 0

    /// Bytes that are taken at most: by the digests of one file of 2 TiB, or of many that are shorter.
    package static let limit = (16 << 20) + entryCost
    /// Bytes that an entry takes besides its digests, about.
    private static let entryCost = 256

    package init() {}

    /// Keeps what an attempt knew of a file in place of what was known before. The oldest go when there is too much.
    package mutating func keep(_ digests: BlockDigests?, of id: TransferID, file: FileIdentity) {
        forget(id)
        guard let digests, Self.cost(of: digests) <= Self.limit else { return }
        entries[id] = Entry(file: file, digests: digests, number: nextNumber)
        nextNumber += 1
        bytes += Self.cost(of: digests)
        while bytes > Self.limit, let oldest = entries.min(by: { $0.value.number < $1.value.number })?.key {
            forget(oldest)
        }
    }

    /// Hands out, and does not keep any longer, what is known of a file; nil when it is nothing, or of another file.
    package mutating func take(_ id: TransferID, file: FileIdentity) -> BlockDigests? {
        let entry = entries[id]
        forget(id)
        return entry.flatMap { $0.file == file ? $0.digests : nil }
    }

    package mutating func forget(_ id: TransferID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        bytes -= Self.cost(of: entry.digests)
    }

    private static func cost(of digests: BlockDigests) -> Int { digests.byteCount + entryCost }
}
