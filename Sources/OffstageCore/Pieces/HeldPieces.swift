// SPDX-License-Identifier: Apache-2.0

/// The bytes that the partial file of a download in pieces holds. The file's size does not show them, because it has
/// holes.
package struct HeldPieces: Sendable, Equatable, Codable {
    /// The bytes that were written in the boot `bootID`: they are in the page cache even if the daemon dies.
    package var written: ByteSpans
    /// The bytes that had reached the disk at the last checkpoint: only these can be trusted in another boot.
    package var synced: ByteSpans
    package var bootID: String

    package init(written: ByteSpans, synced: ByteSpans, bootID: String) {
        self.written = written
        self.synced = synced
        self.bootID = bootID
    }
}
