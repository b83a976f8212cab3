// SPDX-License-Identifier: Apache-2.0

/// What is known of the SHA-256 digests of a file's blocks of 4 MiB, and the hashes that follow from them.
///
/// Nothing of it is on the disk: a daemon that is started anew computes it again from the file, which must still be the
/// same.
package struct BlockDigests: Sendable {
    /// Bytes of the file.
    let size: Int64
    /// 32 bytes for each block; zeros where nothing is known.
    private var digests: [UInt8] = []
    /// Numbers of the blocks whose digests are known.
    private var known = RangeSet<Int>()
    /// The digest of the only piece that was hashed apart: it begins inside of a block, where a server has kept a part
    /// of what was sent.
    private var piece: (range: Range<Int64>, digest: [UInt8])?

    package init(size: Int64) { self.size = size }

    /// Bytes of memory that the digests take.
    package var byteCount: Int { digests.count }

    static func isOnGrid(_ offset: Int64) -> Bool { offset % ContentHash.blockSize == 0 }

    /// The end of the block that a byte is in, or of the file.
    func endOfBlock(at offset: Int64) -> Int64 {
        min(size, (offset / ContentHash.blockSize + 1) * ContentHash.blockSize)
    }

    /// The first bytes of a range that have to be hashed before its hash is known; nil when it is.
    package func missing(in range: Range<Int64>) -> Range<Int64>? {
        guard !range.isEmpty else { return nil }
        guard Self.isOnGrid(range.lowerBound) else { return piece?.range == range ? nil : range }
        let gap = RangeSet(blocks(of: range)).subtracting(known)
        guard let first = gap.ranges.first else { return nil }
        let begin = Int64(first.lowerBound) * ContentHash.blockSize
        let end = min(size, Int64(first.upperBound) * ContentHash.blockSize)
        return begin..<end
    }

    /// Takes in digests of blocks that begin at an offset. `wanted` is the range that was asked for last, which may begin
    /// inside of a block.
    package mutating func insert(_ new: [UInt8], from offset: Int64, wanted: Range<Int64>?) {
        let count = new.count / ContentHash.digestSize
        guard count > 0, offset >= 0, offset < size, new.count % ContentHash.digestSize == 0 else { return }
        guard Self.isOnGrid(offset) else {
            if let wanted, wanted.lowerBound == offset, count == 1 { piece = (wanted, new) }
            return
        }
        let total = blocks(of: 0..<size).upperBound
        let first = Int(offset / ContentHash.blockSize)
        guard first + count <= total else { return }
        if digests.isEmpty { digests = [UInt8](repeating: 0, count: total * ContentHash.digestSize) }
        let start = first * ContentHash.digestSize
        digests.replaceSubrange(start..<start + new.count, with: new)
        known.insert(contentsOf: first..<first + count)
    }

    /// Forgets what is known of a range, so that it is hashed again.
    mutating func forget(_ range: Range<Int64>) {
        piece = nil
        if !range.isEmpty { known.remove(contentsOf: blocks(of: range)) }
    }

    /// The hash of a range that begins at a block, or is the piece that was hashed apart; nil when a digest is missing.
    func hash(of range: Range<Int64>) -> String? {
        guard missing(in: range) == nil else { return nil }
        guard Self.isOnGrid(range.lowerBound) || range.isEmpty else {
            return piece.flatMap { ContentHash.hash(ofDigests: $0.digest) }
        }
        let blocks = range.isEmpty ? 0..<0 : blocks(of: range)
        let size = ContentHash.digestSize
        return ContentHash.hash(ofDigests: digests[blocks.lowerBound * size..<blocks.upperBound * size])
    }

    /// Numbers of the blocks that a range has bytes in.
    private func blocks(of range: Range<Int64>) -> Range<Int> {
        let end = (range.upperBound + ContentHash.blockSize - 1) / ContentHash.blockSize
        return Int(range.lowerBound / ContentHash.blockSize)..<Int(end)
    }
}
