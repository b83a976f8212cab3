// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether the partial file holds all received data, as far as the page cache goes: it was written in this boot.
    ///
    /// The end of the download is committed before the file is synced. After a power loss in between, the file may be
    /// shorter, or hold zeros, and its length says nothing.
    package func holdsPartialFile(bootID: String) -> Bool { partial?.isWritten(inBoot: bootID) == true }

    /// Records what the file of a running attempt in pieces holds.
    package mutating func holds(_ written: ByteSpans, attempt number: Int, bootID: String) {
        guard isRunning(number) else { return }
        partial?.hold(written, bootID: bootID)
    }

    /// Records which pieces of a running attempt have reached the disk.
    package mutating func synced(_ spans: ByteSpans, attempt number: Int) {
        if isRunning(number) { partial?.synced(spans) }
    }
}
