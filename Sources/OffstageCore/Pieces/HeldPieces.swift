// SPDX-License-Identifier: Apache-2.0

/// What the partial file of a download in pieces holds. Its size says nothing: it has holes.
package struct HeldPieces: Sendable, Equatable, Codable {
    /// The bytes that were written in the boot `bootID`: the page cache has them, whatever becomes of the daemon.
    package var written: ByteSpans
    /// The bytes that had reached the disk at the last checkpoint: all that can be trusted in another boot.
    package var synced: ByteSpans
    package var bootID: String

    package init(written: ByteSpans, synced: ByteSpans, bootID: String) {
        self.written = written
        self.synced = synced
        self.bootID = bootID
    }
}
