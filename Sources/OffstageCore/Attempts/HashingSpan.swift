// SPDX-License-Identifier: Apache-2.0

/// Blocks of the source that are being hashed for an attempt: one span at a time.
package struct HashingSpan: Sendable, Equatable {
    /// Counts up in an attempt, so that what comes late is known for what it is.
    package let number: Int
    /// Blocks are counted from where it begins.
    package let range: Range<Int64>
    /// Whether it was begun for a step that could not go on without it: its failure is that step's.
    package let isAwaited: Bool
    /// Bytes whose digests are there.
    package private(set) var done: Int64 = 0

    /// Bytes of a block; the last one of a file may be shorter.
    package static let blockSize = DropboxParameters.blockSize
    /// Bytes of a digest.
    package static let digestSize = 32

    package init(number: Int, range: Range<Int64>, isAwaited: Bool) {
        self.number = number
        self.range = range
        self.isAwaited = isAwaited
    }

    /// Whether the digest of the block that begins at a byte is there or on its way.
    package func covers(_ offset: Int64) -> Bool {
        range.contains(offset) && (offset - range.lowerBound) % Self.blockSize == 0
    }

    /// Takes note of digests.
    ///
    /// - Returns: whether those were the last.
    package mutating func took(_ digests: [UInt8]) -> Bool {
        done += Int64(digests.count / Self.digestSize) * Self.blockSize
        return done >= Int64(range.count)
    }
}
