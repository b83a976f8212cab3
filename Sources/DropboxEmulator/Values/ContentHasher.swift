// SPDX-License-Identifier: Apache-2.0

/// Dropbox's `content_hash` of a sequence of bytes, computed incrementally: the SHA-256 of the SHA-256 digests of
/// blocks of 4 MiB. A value: a copy continues independently.
package struct ContentHasher: Sendable {
    package static let blockSize: Int64 = 4_194_304

    /// The digests of whole blocks, 32 bytes each.
    private var digests: [UInt8] = []
    /// The current incomplete block; nil at a block's beginning.
    private var block: SHA256Digest?
    /// Bytes taken so far.
    package private(set) var count: Int64 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            let room = Int(Self.blockSize - count % Self.blockSize)
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(room))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(room))
            var digest = block ?? SHA256Digest()
            block = nil
            digest.update(piece)
            count += Int64(piece.count)
            if count % Self.blockSize == 0 { digests += digest.bytes } else { block = digest }
        }
    }

    /// The digests of all blocks from a given one on; the last block may be partial.
    package func blockDigests(from first: Int = 0) -> [UInt8] {
        Array(digests.dropFirst(first * 32)) + (block?.bytes ?? [])
    }

    /// The hash of the bytes from a given block on: 64 lower-case hexadecimal digits.
    package func contentHash(fromBlock first: Int = 0) -> String {
        Self.contentHash(ofDigests: blockDigests(from: first))
    }

    /// The hash of consecutive blocks with known digests.
    package static func contentHash(ofDigests digests: [UInt8]) -> String {
        SHA256Digest.hexadecimal(SHA256Digest.bytes(of: digests))
    }

    /// The hash of bytes in memory.
    package static func contentHash(of bytes: [UInt8]) -> String {
        var hasher = ContentHasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        return hasher.contentHash()
    }
}
