// SPDX-License-Identifier: Apache-2.0

/// An upload session and the bytes that it holds.
struct UploadSession: Sendable {
    enum Kind: String, Sendable { case sequential, concurrent }

    /// A block of a concurrent session, which comes in any order.
    struct Block: Sendable {
        var extent: StoredExtent
        var digest: [UInt8]
    }

    let id: String
    /// The account that it belongs to.
    let account: String
    let kind: Kind
    /// Seconds since 1970.
    let began: Double
    var isClosed = false
    /// Whether its file is there: nothing can be done with it any more.
    var isCommitted = false
    /// Of a sequential session: what came, one after the other.
    private(set) var content: [StoredExtent] = []
    private(set) var hasher = ContentHasher()
    /// Of a concurrent session, by number.
    private(set) var blocks: [Int64: Block] = [:]

    init(id: String, account: String, kind: Kind, began: Double) {
        self.id = id
        self.account = account
        self.kind = kind
        self.began = began
    }

    /// Bytes from the beginning to the last one that came; in a concurrent session there may be holes before it.
    var size: Int64 {
        switch kind {
        case .sequential: hasher.count
        case .concurrent:
            blocks.keys.max().map { $0 * ContentHasher.blockSize + (blocks[$0]?.extent.length ?? 0) } ?? 0
        }
    }

    /// Whether bytes of a concurrent session are missing before its last one.
    var hasHole: Bool {
        guard kind == .concurrent, let last = blocks.keys.max() else { return false }
        return (0...last).contains { index in
            guard let block = blocks[index] else { return true }
            return index < last && block.extent.length < ContentHasher.blockSize
        }
    }

    /// All bytes in order, and the hash of them.
    var whole: (content: [StoredExtent], hash: String) {
        switch kind {
        case .sequential: return (content, hasher.contentHash())
        case .concurrent:
            let ordered = blocks.sorted { $0.key < $1.key }.map(\.value)
            return (ordered.map(\.extent), ContentHasher.contentHash(ofDigests: ordered.flatMap(\.digest)))
        }
    }

    /// Everything that it holds.
    var extents: [StoredExtent] { kind == .sequential ? content : blocks.values.map(\.extent) }

    /// Adds bytes to the end of a sequential session; the hasher has taken all bytes before these, and these.
    mutating func append(_ extent: StoredExtent, hasher: ContentHasher) {
        if extent.length > 0 { content.append(extent) }
        self.hasher = hasher
    }

    /// Puts bytes into a concurrent session, over what was there.
    ///
    /// - Parameters:
    ///   - extent: the bytes.
    ///   - offset: a multiple of the block's size.
    ///   - digests: of these bytes' blocks.
    /// - Returns: what was there.
    mutating func put(_ extent: StoredExtent, at offset: Int64, digests: [UInt8]) -> [StoredExtent] {
        var replaced: [StoredExtent] = []
        var done: Int64 = 0
        while done < extent.length {
            let length = min(ContentHasher.blockSize, extent.length - done)
            let number = Int(done / ContentHasher.blockSize)
            let block = Block(
                extent: extent.part(from: done, length: length),
                digest: Array(digests[number * 32..<number * 32 + 32])
            )
            if let old = blocks.updateValue(block, forKey: (offset + done) / ContentHasher.blockSize) {
                replaced.append(old.extent)
            }
            done += length
        }
        return replaced
    }
}
