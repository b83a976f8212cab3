// SPDX-License-Identifier: Apache-2.0

/// The upload sessions of all accounts, with the rules of what they accept. Each lives for a limited time, and holds
/// its bytes until they become a file's.
struct UploadSessions: Sendable {
    private var sessions: [String: UploadSession] = [:]
    /// The start of the oldest session, or an earlier time; nil if there are no sessions. Avoids scanning all sessions
    /// on every call.
    private var earliest: Double?
    /// The bytes received so far, by session, or by path and hash.
    private var received: [String: ByteRanges] = [:]

    subscript(_ id: String) -> UploadSession? { sessions[id] }

    // MARK: Rules

    /// A live session that is not committed.
    func session(_ id: String, _ account: String, _ rules: DropboxRules) throws(SessionFault) -> UploadSession {
        guard let session = sessions[id], session.account == account else { throw .tag("not_found") }
        if session.isCommitted { throw .tag(rules.afterCommit.rawValue) }
        return session
    }

    /// Checks whether a session accepts so many bytes at an offset, without storing them. The plan that was made from
    /// the head must still hold: another call may have been quicker.
    func check(
        _ cursor: SessionCursor,
        _ length: Int64,
        close: Bool,
        account: String,
        planned: EmulatorCall.Part?,
        _ rules: DropboxRules
    ) throws(SessionFault) {
        let session = try session(cursor.session, account, rules)
        if session.isClosed { throw .tag("closed") }
        switch session.kind {
        case .sequential:
            if cursor.offset != session.size { throw .offset(session.size) }
            if length > 0, planned?.session != session.id || planned?.base != session.size {
                throw .offset(session.size)
            }
        case .concurrent:
            if cursor.offset % ContentHasher.blockSize != 0 { throw .tag("concurrent_session_invalid_offset") }
            if length % ContentHasher.blockSize != 0, !close { throw .tag("concurrent_session_invalid_data_size") }
        }
        if cursor.offset > rules.maximumFile - length { throw .tag("too_large") }
    }

    /// Checks whether a session can be finished with so many more bytes.
    func checkFinish(
        _ cursor: SessionCursor,
        _ length: Int64,
        account: String,
        planned: EmulatorCall.Part?,
        mustBeClosed: Bool,
        _ rules: DropboxRules
    ) throws(SessionFault) {
        let session = try session(cursor.session, account, rules)
        if mustBeClosed, !session.isClosed { throw .tag("not_closed") }
        if session.kind == .concurrent { return try Self.checkConcurrentFinish(session, cursor, length) }
        if session.isClosed, length == 0 {
            if cursor.offset != session.size { throw .offset(session.size) }
        } else {
            try check(cursor, length, close: true, account: account, planned: planned, rules)
        }
    }

    private static func checkConcurrentFinish(
        _ session: UploadSession,
        _ cursor: SessionCursor,
        _ length: Int64
    ) throws(SessionFault) {
        if length > 0 { throw .tag("concurrent_session_data_not_allowed") }
        if !session.isClosed { throw .tag("concurrent_session_not_closed") }
        if session.hasHole { throw .tag("concurrent_session_missing_data") }
        if cursor.offset != session.size { throw .offset(session.size) }
    }

    /// The plan for bytes at an offset of a session; without the session if it would refuse them.
    func plan(_ cursor: EmulatorJSON, length: Int64?) -> EmulatorCall.Part {
        guard let id = cursor["session_id"].string, let offset = cursor["offset"].integer, let session = sessions[id],
            !session.isClosed, !session.isCommitted
        else { return EmulatorCall.Part(length: length, hasher: ContentHasher(), base: 0) }
        switch session.kind {
        case .sequential:
            let fits = offset == session.size
            return EmulatorCall.Part(
                length: length,
                hasher: fits ? session.hasher : ContentHasher(),
                session: fits ? id : nil,
                base: session.size
            )
        case .concurrent: return EmulatorCall.Part(length: length, hasher: ContentHasher(), session: id, base: offset)
        }
    }

    // MARK: Effects

    mutating func begin(_ session: UploadSession) {
        sessions[session.id] = session
        earliest = min(earliest ?? session.began, session.began)
    }

    mutating func close(_ id: String) { sessions[id]?.isClosed = true }

    /// Marks the session as committed: its bytes are now a file's.
    mutating func commit(_ id: String) { sessions[id]?.isCommitted = true }

    /// Forgets a session that no client knows of, if its bytes are a file's.
    mutating func forgetIfCommitted(_ id: String) { if sessions[id]?.isCommitted == true { sessions[id] = nil } }

    /// Adds received bytes to a session that has been checked.
    mutating func store(
        _ part: ReceivedBody.Part,
        _ body: ReceivedBody,
        in id: String,
        at offset: Int64,
        _ segments: inout SegmentReferences
    ) {
        guard var session = sessions.removeValue(forKey: id) else { return }
        let extent = StoredExtent(segment: body.segment, offset: part.offset, length: part.length)
        switch session.kind {
        case .sequential:
            if part.length > 0 { segments.retain([extent]) }
            session.append(extent, hasher: part.hasher)
        case .concurrent:
            let blocks = (part.length + ContentHasher.blockSize - 1) / ContentHasher.blockSize
            segments.retain(Array(repeating: extent, count: Int(blocks)))
            segments.release(session.put(extent, at: offset, digests: part.hasher.blockDigests()))
        }
        sessions[id] = session
    }

    mutating func forget(_ id: String, _ segments: inout SegmentReferences) {
        if let session = sessions.removeValue(forKey: id), !session.isCommitted { segments.release(session.extents) }
    }

    mutating func removeExpired(_ now: Double, lifetime: Double, _ segments: inout SegmentReferences) {
        guard let earliest, now - earliest >= lifetime else { return }
        for session in sessions.values where now - session.began >= lifetime { forget(session.id, &segments) }
        self.earliest = sessions.values.map(\.began).min()
    }

    /// Records received bytes.
    ///
    /// - Returns: how many of them had been received before.
    mutating func record(_ key: String, _ range: Range<Int64>) -> Int64 {
        received[key, default: ByteRanges()].insert(range)
    }
}
