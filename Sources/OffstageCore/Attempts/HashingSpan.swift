// SPDX-License-Identifier: Apache-2.0

/// A range of the source that is being hashed for an attempt: one span at a time.
package struct HashingSpan: Sendable, Equatable {
    /// The kind of its result.
    package enum Yield: Sendable, Equatable {
        /// SHA-256 digests of blocks, which are counted from the start of the range.
        case blocks
        /// One digest of the whole range.
        case one(SourceDigest.Algorithm)
    }

    /// Increases within an attempt, so that late events can be told apart.
    package let number: Int
    package let range: Range<Int64>
    package let yield: Yield
    /// Whether a step waits for the span: if the span fails, the step fails.
    package let isAwaited: Bool
    /// Bytes whose digests are ready.
    package private(set) var done: Int64 = 0

    /// Bytes of a block; the last one of a file may be shorter.
    package static let blockSize = DropboxParameters.blockSize
    /// Bytes of a block's digest.
    package static let digestSize = 32

    package init(number: Int, range: Range<Int64>, yield: Yield = .blocks, isAwaited: Bool) {
        self.number = number
        self.range = range
        self.yield = yield
        self.isAwaited = isAwaited
    }

    /// Whether the digest of the block that begins at an offset is ready or on its way.
    package func covers(_ offset: Int64) -> Bool {
        yield == .blocks && range.contains(offset) && (offset - range.lowerBound) % Self.blockSize == 0
    }

    /// Whether it yields this digest.
    package func yields(_ digest: SourceDigest) -> Bool { yield == .one(digest.algorithm) && range == digest.range }

    /// Records digests of blocks.
    ///
    /// - Returns: whether they were the last.
    package mutating func took(_ digests: [UInt8]) -> Bool {
        done += Int64(digests.count / Self.digestSize) * Self.blockSize
        return done >= Int64(range.count)
    }
}
