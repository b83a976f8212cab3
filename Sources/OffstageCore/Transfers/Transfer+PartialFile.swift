// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether the partial file holds all received data, as far as the page cache goes: it was written in this boot.
    ///
    /// The end of the download is committed before the file is synced. After a power loss in between, the file may be
    /// shorter, or hold zeros, and its length says nothing.
    package func holdsPartialFile(bootID: String) -> Bool { partial?.isWritten(inBoot: bootID) == true }

    /// How many connections its attempts may use. An app's tasks use one: their progress and their resume data are
    /// those of one stream.
    package var connections: Int {
        guard !spec.isUpload, spec.method == "GET", spec.sessionTask == nil,
            partial?.serverIgnoresRanges != true, partial?.staysUndivided != true
        else { return 1 }
        return min(max(1, spec.connection?.connections ?? 1), ConnectionOptions.mostConnections)
    }

    /// The SHA-256 that a file must have when it is saved: the owner's, or else the one that its server has stated, if it
    /// came in pieces, where a mistake in one of several requests would otherwise be seen by nobody, or in a dialect.
    package var expectedChecksum: Checksum? {
        guard case .download(let target) = spec.direction else { return nil }
        if let checksum = target.checksum { return checksum }
        guard case .saving(let answer, _) = state, partial?.pieces != nil || spec.dialect != nil else { return nil }
        return Checksum(statedIn: answer.headers) ?? (spec.dialect == nil ? nil : Checksum(storedAtS3: answer))
    }

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
