// SPDX-License-Identifier: Apache-2.0

/// Upload sessions: start, append, and lookup.
extension EmulatedDropbox {
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
        if kind == .sequential, let part = body.parts.first { uploads.store(part, body, in: id, at: 0, &segments) }
        if close { uploads.close(id) }
        if body.length > 0 { _ = uploads.record(id, 0..<body.length) }
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
        let cursor = try SessionCursor(&reader)
        let close = try reader.bool("close", default: false)
        let hash = try Self.hash(&reader)
        try reader.end()
        try checkSize(body)
        do throws(SessionFault) {
            let planned = call.parts.first
            try uploads.check(cursor, body.length, close: close, account: account, planned: planned, rules)
        } catch {
            throw .route(error.error)
        }
        try checkHash(hash, body)
        if let part = body.parts.first {
            uploads.store(part, body, in: cursor.session, at: cursor.offset, &segments)
        }
        if close { uploads.close(cursor.session) }
        return .null
    }

    mutating func appendBatch(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let entries = try AppendEntry.all(&reader)
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
                try uploads.check(
                    entry.cursor,
                    entry.length,
                    close: entry.close,
                    account: account,
                    planned: planned,
                    rules
                )
                if body.parts.indices.contains(index) {
                    let cursor = entry.cursor
                    uploads.store(body.parts[index], body, in: cursor.session, at: cursor.offset, &segments)
                }
                if entry.close { uploads.close(entry.cursor.session) }
                results.append(.tag("success"))
            } catch {
                results.append(.tag("failure", nesting: error.error))
            }
        }
        return ["entries": .array(results)]
    }

    // MARK: Rules

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
        uploads.begin(UploadSession(id: id, account: account, kind: kind, began: now))
        return id
    }
}
