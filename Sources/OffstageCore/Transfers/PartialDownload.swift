// SPDX-License-Identifier: Apache-2.0

/// The facts about a download's partial file: enough to continue it, and to detect when that would be wrong.
package struct PartialDownload: Sendable, Equatable, Codable {
    /// The validator that later responses are compared with (RFC 9110, sections 8.8 and 13.1.5).
    package enum Validator: Sendable, Equatable, Codable {
        case strongETag(String)
        case lastModified(String)

        /// The value of `If-Range`.
        package var ifRange: String {
            switch self {
            case .strongETag(let value), .lastModified(let value): value
            }
        }
    }

    /// Nil if the server gave no validator strong enough for resuming.
    package var validator: Validator?
    /// The length of the whole file as the server stated it.
    @WithinIfPresent<ByteCounts> package var totalBytes: Int64?
    /// The content coding of the file's bytes, such as `gzip`: bytes in another coding cannot follow them. Nil for
    /// none.
    package var coding: String?
    /// Bytes that had reached the disk at the last checkpoint: only these can be trusted in another boot.
    @Within<ByteCounts> package var syncedBytes: Int64
    /// The boot in which the file was last written; `unsynced` after a failed sync.
    package var bootID: String
    /// Set once the server answered a range with the whole file.
    package var serverIgnoresRanges: Bool
    /// The bytes of a file that is fetched in pieces; nil if the file has no holes, so that its size shows the bytes
    /// held.
    ///
    /// The boot is then stored in here, and `bootID` is empty: a version of Offstage that does not know about pieces
    /// thus trusts only `syncedBytes`, the beginning without a hole.
    package private(set) var pieces: HeldPieces?
    /// Set once pieces proved to belong to different files: from then on, one request fetches everything, since servers
    /// behind one name may disagree forever. Nil for no.
    package var staysUndivided: Bool?
    /// Set while the file's bytes come from addresses other than the one in use. Its server does not know their
    /// validators, so the rest is requested without a condition. Stays set if the server has no validator of its own.
    /// Nil for no.
    package private(set) var isAdopted: Bool?
    /// Set once the file contains bytes from several addresses. Nil for no.
    package private(set) var isMixed: Bool?

    package init(
        validator: Validator?,
        totalBytes: Int64?,
        coding: String? = nil,
        syncedBytes: Int64 = 0,
        bootID: String,
        serverIgnoresRanges: Bool = false
    ) {
        self.validator = validator
        self.totalBytes = totalBytes
        self.coding = coding
        self.syncedBytes = syncedBytes
        self.bootID = bootID
        self.serverIgnoresRanges = serverIgnoresRanges
    }

    /// Records the head of a response whose body fills the file from `offset` on.
    ///
    /// Bytes from there on are being rewritten, whatever was synced before.
    init(
        validator: Validator?,
        totalBytes: Int64?,
        coding: String?,
        bootID: String,
        replacing earlier: Self?,
        from offset: Int64
    ) {
        self.init(
            validator: validator,
            totalBytes: totalBytes,
            // The answer to a request for the rest may leave it out.
            coding: offset > 0 ? coding ?? earlier?.coding : coding,
            syncedBytes: earlier?.validator == validator || earlier?.isAdopted == true
                ? min(earlier?.syncedBytes ?? 0, offset) : 0,
            bootID: bootID,
            serverIgnoresRanges: earlier?.serverIgnoresRanges ?? false
        )
        staysUndivided = earlier?.staysUndivided
        if offset > 0, earlier?.isAdopted == true || earlier?.isMixed == true { isMixed = true }
        // A server without a validator continues as it began: the rest is requested without a condition.
        if offset > 0, earlier?.isAdopted == true, validator == nil { isAdopted = true }
        // The file still has its holes: the response fills the first one.
        if let pieces = earlier?.pieces { keep(pieces, bootID: bootID) }
        // The bytes that were lost stay lost until the file is reopened.
        if earlier?.isUnsynced == true { distrust() }
    }

    /// Records that the file begins again at byte 0.
    init(bootID: String, beginningAgain earlier: Self?, serverIgnoresRanges: Bool) {
        self.init(
            validator: nil,
            totalBytes: nil,
            bootID: bootID,
            serverIgnoresRanges: serverIgnoresRanges || earlier?.serverIgnoresRanges == true
        )
        staysUndivided = earlier?.pieces == nil ? earlier?.staysUndivided : true
    }

    /// Records that an attempt of this boot has filled the file.
    ///
    /// The head of a short response is not reported, so there may be no record of its file, or only of bytes written in
    /// an earlier boot. Yet the bytes are in the page cache, and a daemon that starts after a crash must not fetch them
    /// again.
    init(filling earlier: Self?, bootID: String) {
        self = earlier ?? PartialDownload(validator: nil, totalBytes: nil, bootID: bootID)
        if !isWritten(inBoot: bootID) { (pieces, self.bootID) = (nil, bootID) }
    }

    /// Whether an attempt may continue the file.
    package var isContinuable: Bool { validator != nil || isAdopted == true }

    /// Lets another address take over the received bytes.
    package mutating func adopt() {
        (validator, isAdopted) = (nil, true)
        serverIgnoresRanges = false
    }

    /// Records that the file gets bytes from an address other than the one in use.
    mutating func mix() { isMixed = true }

    /// Clears the facts about the content of a file that is now empty.
    mutating func empty() { (validator, coding, isAdopted, isMixed) = (nil, nil, nil, nil) }

    /// Where the next attempt may continue, given the partial file's size.
    ///
    /// After a power loss only synced bytes count, since a file's size may reach the disk before its content does. If
    /// the partial file is already complete, its last byte is requested, so that the answer's validator is checked.
    ///
    /// - Parameters:
    ///   - fileSize: the size of the partial file.
    ///   - bootID: this boot.
    ///   - looksBack: whether the last kept byte is requested again (`Transfer.looksBack`).
    /// - Returns: a byte; 0 means from the start.
    package func resumeOffset(fileSize: Int64, bootID: String, looksBack: Bool = false) -> Int64 {
        guard isContinuable, !serverIgnoresRanges else { return 0 }
        if pieces != nil, totalBytes != nil { return held(fileSize: fileSize, bootID: bootID).prefix }
        var offset = bootID == self.bootID ? fileSize : min(fileSize, syncedBytes)
        if let totalBytes { offset = min(offset, totalBytes - 1) }
        // A byte from another server says nothing about this one's file.
        if looksBack, isAdopted != true { offset = offset.subtractingClamped(1) }
        return max(0, offset)
    }
}

/// A partial file with holes.
extension PartialDownload {
    /// The bytes that the next attempt need not fetch, given the partial file's size.
    ///
    /// A map without the file's first byte counts as empty: the first request would have no range, and its answer would
    /// have to be compared with bytes from another answer. The last byte of a whole file is fetched again, so that the
    /// answer's validator is checked.
    package func held(fileSize: Int64, bootID: String, looksBack: Bool = false) -> ByteSpans {
        guard isContinuable, !serverIgnoresRanges, let pieces, let totalBytes else {
            // checked: not below 0
            return ByteSpans(0..<resumeOffset(fileSize: fileSize, bootID: bootID, looksBack: looksBack))
        }
        let spans = bootID == pieces.bootID ? pieces.written : pieces.synced
        let held = spans.clamped(to: 0..<max(0, min(fileSize, totalBytes)))  // checked: not below 0
        guard held.prefix > 0 else { return ByteSpans() }
        // checked: total is above 0, since a byte is held
        return held.prefix == totalBytes ? held.clamped(to: 0..<totalBytes - 1) : held
    }

    /// Whether the file was last written in this boot.
    package func isWritten(inBoot bootID: String) -> Bool { (pieces?.bootID ?? self.bootID) == bootID }

    /// Records which bytes the file holds in this boot.
    package mutating func hold(_ written: ByteSpans, bootID: String) {
        let synced = pieces?.synced ?? ByteSpans(0..<syncedBytes)  // checked: in the range of `ByteCounts`
        set(HeldPieces(written: written, synced: synced.intersection(written), bootID: bootID))
    }

    /// Takes over the bytes that the file held when the attempt began: they count as written in this boot.
    private mutating func keep(_ pieces: HeldPieces, bootID: String) {
        set(HeldPieces(written: pieces.written, synced: pieces.synced, bootID: bootID))
    }

    /// Records which bytes have reached the disk.
    package mutating func synced(_ spans: ByteSpans) {
        guard var pieces, !isUnsynced else { return }
        pieces.synced = spans.intersection(pieces.written)
        set(pieces)
    }

    /// Records that the file no longer has holes or untrusted bytes: in this boot, it was truncated at the first of
    /// them.
    package mutating func closeHoles(bootID: String) {
        guard pieces != nil || isUnsynced else { return }
        pieces = nil
        self.bootID = bootID
    }

    private mutating func set(_ pieces: HeldPieces) {
        self.pieces = pieces
        syncedBytes = pieces.synced.prefix
        bootID = ""
    }
}

/// A partial file after a failed sync.
extension PartialDownload {
    /// A name that no boot has. Every version of Offstage reads the record of a file with this name as "written in
    /// another boot": only synced bytes count.
    private static let unsynced = "unsynced"

    /// Whether a sync has failed since the file was opened: bytes that were not synced before may be lost.
    package var isUnsynced: Bool { (pieces?.bootID ?? bootID) == Self.unsynced }

    /// Records that a sync of the file has failed: from now on, only bytes covered by an earlier sync count.
    package mutating func distrust() {
        guard var pieces else { return bootID = Self.unsynced }
        pieces.bootID = Self.unsynced
        set(pieces)
    }

    /// How many of the bytes that an attempt has reached still count.
    package func kept(of reached: Int64) -> Int64 {
        isUnsynced ? min(reached, pieces?.synced.count ?? syncedBytes) : reached
    }
}
