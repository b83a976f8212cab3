// SPDX-License-Identifier: Apache-2.0

/// An upload session and its bytes.
struct UploadSession: Sendable {
    enum Kind: String, Sendable { case sequential, concurrent }

    /// A block of a concurrent session. Blocks arrive in any order.
    struct Block: Sendable {
        var extent: StoredExtent
        var digest: [UInt8]
    }

    let id: String
    /// The session's account.
    let account: String
    let kind: Kind
    /// Seconds since 1970.
    let began: Double
    var isClosed = false
    /// Whether its file is committed; the session accepts nothing more.
    var isCommitted = false
    /// The content of a sequential session, in order of arrival.
    private(set) var content: [StoredExtent] = []
    private(set) var hasher = ContentHasher()
    /// The blocks of a concurrent session, by number.
    private(set) var blocks: [Int64: Block] = [:]

    init(id: String, account: String, kind: Kind, began: Double) {
        self.id = id
        self.account = account
        self.kind = kind
        self.began = began
    }

    /// The number of bytes up to the last one received; a concurrent session may have holes before it.
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

    /// All bytes in order, and their hash.
    var whole: (content: [StoredExtent], hash: String) {
        switch kind {
        case .sequential: return (content, hasher.contentHash())
        case .concurrent:
            let ordered = blocks.sorted { $0.key < $1.key }.map(\.value)
            return (ordered.map(\.extent), ContentHasher.contentHash(ofDigests: ordered.flatMap(\.digest)))
        }
    }

    /// All extents of the session.
    var extents: [StoredExtent] { kind == .sequential ? content : blocks.values.map(\.extent) }

    /// Adds bytes to the end of a sequential session; the hasher has hashed all earlier bytes and these.
    mutating func append(_ extent: StoredExtent, hasher: ContentHasher) {
        if extent.length > 0 { content.append(extent) }
        self.hasher = hasher
    }

    /// Stores bytes in a concurrent session, replacing any at the same offset.
    ///
    /// - Parameters:
    ///   - extent: the bytes.
    ///   - offset: a multiple of the block's size.
    ///   - digests: the digests of these bytes' blocks.
    /// - Returns: the replaced extents.
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
