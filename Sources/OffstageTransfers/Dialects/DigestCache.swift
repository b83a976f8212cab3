// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Digests from earlier attempts, kept for later ones: nothing is hashed twice while the daemon lives and the file
/// stays the same. Held only in memory, and bounded.
package struct DigestCache: Sendable {
    private struct Entry {
        var file: FileIdentity
        var digests: BlockDigests
        /// Increases with each entry: the smallest number is the oldest.
        var number: Int
    }

    private var entries: [TransferID: Entry] = [:]
    private var nextNumber = 0
    /// The memory used by all entries, in bytes.
    package private(set) var bytes = 0

    /// The most bytes used: enough for the digests of one file of 2 TiB, or of many shorter ones.
    package static let limit = (16 << 20) + entryCost
    /// Roughly how many bytes an entry uses in addition to its digests.
    private static let entryCost = 256

    package init() {}

    /// Replaces the known digests of a file with those of an attempt. The oldest entries are dropped to stay within the
    /// limit.
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

    /// Removes and returns the digests of a file; nil if there are none, or if they are for another file.
    package mutating func remove(_ id: TransferID, file: FileIdentity) -> BlockDigests? {
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
