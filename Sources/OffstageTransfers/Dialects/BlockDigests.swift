// SPDX-License-Identifier: Apache-2.0

/// The known SHA-256 digests of a file's 4 MiB blocks, and the hashes computed from them.
///
/// Nothing is stored on disk: a restarted daemon computes the digests again from the file, which must still be the
/// same.
package struct BlockDigests: Sendable {
    /// The size of the file in bytes.
    let size: Int64
    /// 32 bytes per block; zeros if unknown.
    private var digests: [UInt8] = []
    /// Numbers of the blocks with known digests.
    private var known = RangeSet<Int>()
    /// The digest of the only piece that was hashed separately: it begins inside a block, where a server kept part of
    /// the sent bytes.
    private var piece: (range: Range<Int64>, digest: [UInt8])?

    package init(size: Int64) { self.size = size }

    /// The memory that the digests use, in bytes.
    package var byteCount: Int { digests.count }

    static func isOnGrid(_ offset: Int64) -> Bool { offset % ContentHash.blockSize == 0 }

    /// The end of the block that contains a byte, or of the file.
    func endOfBlock(at offset: Int64) -> Int64 {
        min(size, (offset / ContentHash.blockSize + 1) * ContentHash.blockSize)
    }

    /// The first bytes that must be hashed before the range's hash is known; nil if it is known.
    package func missing(in range: Range<Int64>) -> Range<Int64>? {
        guard !range.isEmpty else { return nil }
        guard Self.isOnGrid(range.lowerBound) else { return piece?.range == range ? nil : range }
        let gap = RangeSet(blocks(of: range)).subtracting(known)
        guard let first = gap.ranges.first else { return nil }
        let begin = Int64(first.lowerBound) * ContentHash.blockSize
        let end = min(size, Int64(first.upperBound) * ContentHash.blockSize)
        return begin..<end
    }

    /// Adds digests of blocks that begin at an offset. `wanted` is the range that was last requested, which may begin
    /// inside a block.
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

    /// Forgets the digests of a range, so that it is hashed again.
    mutating func forget(_ range: Range<Int64>) {
        piece = nil
        if !range.isEmpty { known.remove(contentsOf: blocks(of: range)) }
    }

    /// The hash of a range that begins at a block, or is the separately hashed piece; nil if a digest is missing.
    func hash(of range: Range<Int64>) -> String? {
        guard missing(in: range) == nil else { return nil }
        guard Self.isOnGrid(range.lowerBound) || range.isEmpty else {
            return piece.flatMap { ContentHash.hash(ofDigests: $0.digest) }
        }
        let blocks = range.isEmpty ? 0..<0 : blocks(of: range)
        let size = ContentHash.digestSize
        return ContentHash.hash(ofDigests: digests[blocks.lowerBound * size..<blocks.upperBound * size])
    }

    /// Numbers of the blocks that the range overlaps.
    private func blocks(of range: Range<Int64>) -> Range<Int> {
        let end = (range.upperBound + ContentHash.blockSize - 1) / ContentHash.blockSize
        return Int(range.lowerBound / ContentHash.blockSize)..<Int(end)
    }
}
