// SPDX-License-Identifier: Apache-2.0

/// Upload sessions: begun, added to, and found again.
extension EmulatedDropbox {
    /// A member of the union that says why a session does not take something.
    struct SessionFault: Error {
        var error: EmulatorJSON

        static func tag(_ name: String) -> SessionFault { SessionFault(error: .tag(name)) }

        static func offset(_ correct: Int64) -> SessionFault {
            SessionFault(error: .tag("incorrect_offset", ["correct_offset": .integer(correct)]))
        }
    }

    /// Where bytes are to go.
    struct Cursor {
        var session: String
        var offset: Int64

        init(_ reader: inout ArgumentReader) throws(DropboxRefusal) {
            var inner = try reader.object("cursor")
            session = try inner.string("session_id")
            offset = try inner.count("offset")
            try inner.end()
        }
    }

    mutating func start(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let close = try reader.bool("close", default: false)
        let kind = try Self.kind(&reader)
        let hash = try Self.hash(&reader)
        try reader.end()
        try checkSize(body)
        if kind == .concurrent {
            if body.length > 0 { throw .route(.tag("concurrent_session_data_not_allowed")) }
            if close { throw .route(.tag("concurrent_session_close_not_allowed")) }
        }
        try checkHash(hash, body)
        let id = newSession(kind, account, now)
        if kind == .sequential, let part = body.parts.first { store(part, body, in: id, at: 0) }
        sessions[id]?.isClosed = close
        if body.length > 0 { _ = received[id, default: ByteRanges()].insert(0..<body.length) }
        return ["session_id": .string(id)]
    }

    mutating func startBatch(
        _ reader: inout ArgumentReader,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let count = try reader.count("num_sessions")
        let kind = try Self.kind(&reader)
        try reader.end()
        guard (1...1000).contains(count) else {
            throw reader.refuse("num_sessions", "\(count) is not within range [1, 1000]")
        }
        return ["session_ids": .array((0..<Int(count)).map { _ in .string(newSession(kind, account, now)) })]
    }

    mutating func append(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let cursor = try Cursor(&reader)
        let close = try reader.bool("close", default: false)
        let hash = try Self.hash(&reader)
        try reader.end()
        try checkSize(body)
        do throws(SessionFault) {
            let planned = call.parts.first
            try check(cursor, body.length, close: close, account: account, planned: planned)
        } catch {
            throw .route(error.error)
        }
        try checkHash(hash, body)
        if let part = body.parts.first { store(part, body, in: cursor.session, at: cursor.offset) }
        if close { sessions[cursor.session]?.isClosed = true }
        return .null
    }

    mutating func appendBatch(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let entries = try Self.batchEntries(&reader)
        let hash = try Self.hash(&reader)
        try reader.end()
        try checkSize(body)
        let total: Int64 = entries.reduce(0) { $0.addingReportingOverflow($1.length).partialValue }
        if total != body.length { throw .route(.tag("length_mismatch")) }
        try checkHash(hash, body)
        var results: [EmulatorJSON] = []
        for (index, entry) in entries.enumerated() {
            do throws(SessionFault) {
                let planned = call.parts.indices.contains(index) ? call.parts[index] : nil
                try check(entry.cursor, entry.length, close: entry.close, account: account, planned: planned)
                if body.parts.indices.contains(index) {
                    store(body.parts[index], body, in: entry.cursor.session, at: entry.cursor.offset)
                }
                if entry.close { sessions[entry.cursor.session]?.isClosed = true }
                results.append(.tag("success"))
            } catch {
                results.append(.tag("failure", nesting: error.error))
            }
        }
        return ["entries": .array(results)]
    }

    struct BatchEntry {
        var cursor: Cursor
        var length: Int64
        var close: Bool
    }

    static func batchEntries(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> [BatchEntry] {
        let readers = try reader.objects("entries")
        guard (1...1000).contains(readers.count) else {
            throw reader.refuse("entries", "a list of \(readers.count) is not within range [1, 1000]")
        }
        var entries: [BatchEntry] = []
        for var inner in readers {
            let cursor = try Cursor(&inner)
            let length = try inner.count("length")
            entries.append(BatchEntry(cursor: cursor, length: length, close: try inner.bool("close", default: false)))
            try inner.end()
        }
        return entries
    }

    // MARK: Rules

    /// Checks whether a session takes so many bytes at a place, without taking them. What was planned for them when the
    /// head came must still hold: another call may have been quicker.
    func check(
        _ cursor: Cursor,
        _ length: Int64,
        close: Bool,
        account: String,
        planned: EmulatorCall.Part?
    ) throws(SessionFault) {
        let session = try session(cursor.session, account)
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

    /// A session that lives and is not committed.
    func session(_ id: String, _ account: String) throws(SessionFault) -> UploadSession {
        guard let session = sessions[id], session.account == account else { throw .tag("not_found") }
        if session.isCommitted { throw .tag(rules.afterCommit.rawValue) }
        return session
    }

    func checkSize(_ body: ReceivedBody) throws(DropboxRefusal) {
        if body.length > rules.maximumBody { throw .route(.tag("payload_too_large")) }
    }

    func checkHash(_ hash: String?, _ body: ReceivedBody) throws(DropboxRefusal) {
        if let hash, hash.lowercased() != body.contentHash { throw .route(.tag("content_hash_mismatch")) }
    }

    static func hash(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> String? {
        guard let hash = try reader.optionalString("content_hash") else { return nil }
        guard hash.utf8.count == 64 else { throw reader.refuse("content_hash", "'\(hash)' must be 64 characters") }
        return hash
    }

    private static func kind(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> UploadSession.Kind {
        let member = try reader.union("session_type", members: ["sequential": false, "concurrent": false])
        return member?.tag == "concurrent" ? .concurrent : .sequential
    }

    // MARK: Effects

    mutating func newSession(_ kind: UploadSession.Kind, _ account: String, _ now: Double) -> String {
        let id = "pid_upload_session:" + random.name(64)
        sessions[id] = UploadSession(id: id, account: account, kind: kind, began: now)
        earliestSession = min(earliestSession ?? now, now)
        return id
    }

    /// Adds what came to a session that was checked before.
    mutating func store(_ part: ReceivedBody.Part, _ body: ReceivedBody, in id: String, at offset: Int64) {
        guard var session = sessions.removeValue(forKey: id) else { return }
        let extent = StoredExtent(segment: body.segment, offset: part.offset, length: part.length)
        switch session.kind {
        case .sequential:
            if part.length > 0 { retain([extent]) }
            session.append(extent, hasher: part.hasher)
        case .concurrent:
            let blocks = (part.length + ContentHasher.blockSize - 1) / ContentHasher.blockSize
            retain(Array(repeating: extent, count: Int(blocks)))
            release(session.put(extent, at: offset, digests: part.hasher.blockDigests()))
        }
        sessions[id] = session
    }

    mutating func forgetSession(_ id: String) {
        if let session = sessions.removeValue(forKey: id), !session.isCommitted { release(session.extents) }
    }

    mutating func removeExpiredSessions(_ now: Double) {
        guard let earliestSession, now - earliestSession >= rules.sessionLifetime else { return }
        for session in sessions.values where now - session.began >= rules.sessionLifetime { forgetSession(session.id) }
        self.earliestSession = sessions.values.map(\.began).min()
    }
}
