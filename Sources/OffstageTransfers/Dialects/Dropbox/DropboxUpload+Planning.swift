// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Chooses the next call.
extension DropboxUpload {
    /// How many chunks are sent at once, unless the owner specifies a number.
    static let usualConnections = 4
    /// The largest file, in bytes, that a sequential session is good enough for: it needs fewer requests, and the
    /// received part of a broken chunk is not sent again.
    static let sequentialLimit: Int64 = 32 << 20
    /// Bytes of the largest chunk of a concurrent session: one in each lane may have to be sent again.
    static let largestPiece: Int64 = 64 << 20

    package var lanes: Int { nextKind == .concurrent ? min(connections, notes.lanes ?? connections) : 1 }

    /// How many connections the upload may use if no other transfer needs any.
    var mostConnections: Int { max(1, parameters.connections ?? Self.usualConnections) }

    /// How many connections the upload may use.
    var connections: Int {
        if let chosen = parameters.connections { return max(1, chosen) }
        // A slow upload needs no more.
        guard !basis.isRateLimited else { return 1 }
        return min(Self.usualConnections, max(0, freeConnections ?? .max).addingClamped(1))
    }

    /// The kind of the session, or of the one that would be opened.
    var nextKind: DropboxSessionKind {
        if let session = notes.session { return session.kind }
        return size > Self.sequentialLimit && connections > 1 && notes.isSequentialOnly != true
            ? .concurrent : .sequential
    }

    /// Abandons a session that has grown too old.
    mutating func leaveOldSession(_ now: Moment) {
        guard let session = notes.session, session.stage != .looking,
            now.seconds(since: session.began) >= Self.sessionLife
        else { return }
        if session.stage == .committing { notes.session?.stage = .looking } else { notes.session = nil }
    }

    /// The next call and its lane; nil while other calls' answers are awaited.
    func plannedCall() -> (DropboxCall, lane: Int)? {
        if let session = notes.session, session.kind == .concurrent, session.stage == .filling {
            let lane = (0..<lanes).first { underway[$0] == nil }
            if let piece = nextPiece(session) { return lane.map { (.put(piece), $0) } }
            return underway.isEmpty ? (.close(closingPiece), 0) : nil
        }
        // Calls under way for an abandoned session are awaited. With one lane, asking again returns the same call.
        guard underway.values.allSatisfy({ lanes == 1 && $0.session == notes.session?.id }) else { return nil }
        return (callAlone(), 0)
    }

    /// The next call that must be made while no other is under way.
    private func callAlone() -> DropboxCall {
        guard let session = notes.session else { return goesInOneRequest ? .upload : .start(nextKind) }
        switch (session.stage, session.kind) {
        case (.looking, _): return .metadata
        case (.committing, .concurrent), (.closed, _): return mustClose ? .close(closingPiece) : .finish(size..<size)
        case (.closing, _): return .close(closingPiece)
        case (.filling, _), (.committing, .sequential): break
        }
        let begin = session.acknowledged
        if mustLocate { return .locate(begin) }
        // After part of a block, the chunk ends with that block, so that the following blocks are hashed on the grid
        // again.
        let end = BlockDigests.isOnGrid(begin) ? min(size, begin + notes.chunk.current) : blocks.endOfBlock(at: begin)
        return end >= size ? .finish(begin..<size) : .append(begin..<end)
    }

    /// Whether the whole file goes in one request. Repeating it after a lost answer is harmless, since Dropbox commits
    /// the same content once, unless the same content would be a conflict or get another name. A session is committed
    /// only once in any case.
    private var goesInOneRequest: Bool {
        size <= min(Self.oneRequestLimit, notes.chunk.most ?? Self.oneRequestLimit)
            && !parameters.autorename && !parameters.strictConflict
    }

    // MARK: - Pieces

    /// The last block, with which a concurrent session is closed: it alone may be of any length.
    private var closingPiece: Range<Int64> {
        let unit = ContentHash.blockSize
        return max(0, size - 1) / unit * unit..<size  // checked: not more than the size
    }

    /// The next bytes of a concurrent session: the first that are neither stored nor on their way. Nil if only the last
    /// block remains.
    ///
    /// Towards the end the pieces become shorter, so that all lanes finish at about the same time.
    private func nextPiece(_ session: DropboxMemory.Session) -> Range<Int64>? {
        var taken = session.pieces ?? ByteSpans()
        for case .put(let range) in underway.values.map(\.call) { taken.insert(range) }
        let gaps = taken.gaps(before: closingPiece.lowerBound)
        guard let first = gaps.first else { return nil }
        // checked: lengths of parts of the file, and a count of lanes of at least 1
        let left = gaps.reduce(0) { $0 + Int64($1.count) }
        let blocksOfShare = left / Int64(max(1, lanes)) / ContentHash.blockSize + 1
        let share = max(ChunkSize.smallest, blocksOfShare * ContentHash.blockSize)
        let count = min(notes.chunk.current, Self.largestPiece, share)
        return first.lowerBound..<min(first.upperBound, first.lowerBound + count)
    }

    // MARK: - Needs of a call

    func missingDigests(for call: DropboxCall) -> Range<Int64>? {
        switch call {
        case .start, .locate: nil
        case .append(let range), .put(let range), .close(let range): blocks.missing(in: range)
        // The hash of the whole file is compared with Dropbox's at the end.
        case .finish(let range): blocks.missing(in: range) ?? blocks.missing(in: 0..<size)
        case .upload, .metadata: blocks.missing(in: 0..<size)
        }
    }

    /// The bytes of the source that a call carries, possibly none; nil for a call without a position in the source.
    func bytes(of call: DropboxCall) -> Range<Int64>? {
        switch call {
        case .upload: 0..<size
        case .append(let range), .put(let range), .close(let range), .finish(let range): range
        case .locate(let offset): offset..<offset
        case .start, .metadata: nil
        }
    }

    /// The byte up to which a call brings the upload.
    func end(of call: DropboxCall) -> Int64 {
        switch call {
        case .start: 0
        case .metadata: size
        case .upload, .append, .put, .close, .finish, .locate: bytes(of: call)?.upperBound ?? 0
        }
    }

    /// Records the state that must be stored before a call's first byte is sent.
    mutating func record(_ call: DropboxCall) {
        guard var session = notes.session, let range = bytes(of: call) else { return }
        switch call {
        // The pieces under way need not be known: those that are not acknowledged are sent again.
        case .put: return
        case .close: if session.stage == .filling { session.stage = .closing }
        case .finish: session.stage = .committing
        case .upload, .start, .locate, .append, .metadata: break
        }
        session.sent = max(session.sent, range.upperBound)
        notes.session = session
    }
}
