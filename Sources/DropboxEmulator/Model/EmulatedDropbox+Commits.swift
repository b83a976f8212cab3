// SPDX-License-Identifier: Apache-2.0

/// From bytes to files.
extension EmulatedDropbox {
    mutating func upload(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let info = try CommitInfo(&reader)
        let hash = try Self.hash(&reader)
        try reader.end()
        try checkSize(body)
        try checkHash(hash, body)
        // The bytes are in a session until they become a file, so that a failed commit keeps them.
        let id = newSession(.sequential, account, now)
        if let part = body.parts.first { uploads.store(part, body, in: id, at: 0, &segments) }
        // No client knows of a session whose bytes have become a file.
        defer { uploads.forgetIfCommitted(id) }
        do throws(EmulatedAccount.WriteFault) {
            let file = try commit(info, session: id, account, now)
            if let error = Self.propertiesError(info) { throw EmulatedAccount.WriteFault(error: error) }
            return file.metadata(withHash: rules.tellsContentHash)
        } catch {
            if uploads[id]?.isCommitted == true { throw .route(error.error) }
            // The one member of a union here whose value is a struct, so its fields are beside the tag.
            throw .route(.tag("path", ["reason": error.error, "upload_session_id": .string(id)]))
        }
    }

    mutating func finish(
        _ reader: inout ArgumentReader,
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let (cursor, info, hash) = try Self.finishArgument(&reader)
        try checkSize(body)
        try checkFinish(cursor, body.length, account, planned: call.parts.first)
        try checkHash(hash, body)
        if body.length > 0, let part = body.parts.first {
            uploads.store(part, body, in: cursor.session, at: cursor.offset, &segments)
        }
        return try commitSession(cursor, info, account, now)
    }

    mutating func finishBatch(
        _ reader: inout ArgumentReader,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        let results = try finishAll(&reader, account, now)
        guard rules.finishBatchIsAsynchronous else { return .tag("complete", ["entries": .array(results)]) }
        let job = "dbjid:" + random.name(40)
        jobs[job] = results
        return .tag("async_job_id", nesting: .string(job))
    }

    /// Reports a job as in progress the first time, and as complete the second time.
    mutating func finishBatchCheck(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> EmulatorJSON {
        let job = try reader.string("async_job_id")
        try reader.end()
        if let results = jobs.removeValue(forKey: job) {
            jobs["done " + job] = results
            return .tag("in_progress")
        }
        guard let results = jobs["done " + job] else { throw .route(.tag("invalid_async_job_id")) }
        return .tag("complete", ["entries": .array(results)])
    }

    mutating func finishAll(
        _ reader: inout ArgumentReader,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> [EmulatorJSON] {
        let readers = try reader.objects("entries")
        try reader.end()
        guard readers.count <= 1000 else {
            throw reader.refuse("entries", "a list of \(readers.count) is longer than 1000")
        }
        var entries: [(SessionCursor, CommitInfo, String?)] = []
        for var inner in readers { entries.append(try Self.finishArgument(&inner)) }
        var results: [EmulatorJSON] = []
        for (cursor, info, _) in entries {
            do throws(DropboxRefusal) {
                try checkFinish(cursor, 0, account, planned: nil, mustBeClosed: true)
                let file = try commitSession(cursor, info, account, now)
                results.append(.tag("success", file.object ?? [:]))
            } catch {
                guard case .route(let failure) = error else { throw error }
                results.append(.tag("failure", nesting: failure))
            }
        }
        return results
    }

    private static func finishArgument(
        _ reader: inout ArgumentReader
    ) throws(DropboxRefusal) -> (SessionCursor, CommitInfo, String?) {
        let cursor = try SessionCursor(&reader)
        var inner = try reader.object("commit")
        let info = try CommitInfo(&inner)
        try inner.end()
        let hash = try hash(&reader)
        try reader.end()
        return (cursor, info, hash)
    }

    /// Checks whether a session can be finished with so many more bytes.
    private func checkFinish(
        _ cursor: SessionCursor,
        _ length: Int64,
        _ account: String,
        planned: EmulatorCall.Part?,
        mustBeClosed: Bool = false
    ) throws(DropboxRefusal) {
        do throws(SessionFault) {
            try uploads.checkFinish(
                cursor,
                length,
                account: account,
                planned: planned,
                mustBeClosed: mustBeClosed,
                rules
            )
        } catch {
            // The errors of concurrent sessions are members of the finish union itself.
            let own = ["_data_not_allowed", "_not_closed", "_missing_data"].map { "concurrent_session\($0)" }
            if let tag = error.error[".tag"].string, own.contains(tag) { throw .route(error.error) }
            throw .route(.tag("lookup_failed", nesting: error.error))
        }
    }

    private mutating func commitSession(
        _ cursor: SessionCursor,
        _ info: CommitInfo,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        do throws(EmulatedAccount.WriteFault) {
            let file = try commit(info, session: cursor.session, account, now)
            if let error = Self.propertiesError(info) { throw EmulatedAccount.WriteFault(error: error) }
            return file.metadata(withHash: rules.tellsContentHash)
        } catch {
            let isCommitted = uploads[cursor.session]?.isCommitted == true
            throw .route(isCommitted ? error.error : .tag("path", nesting: error.error))
        }
    }

    /// Commits a session's bytes as a file.
    mutating func commit(
        _ info: CommitInfo,
        session id: String,
        _ accountName: String,
        _ now: Double
    ) throws(EmulatedAccount.WriteFault) -> EmulatedFile {
        guard let session = uploads[id] else { throw .tag("operation_suppressed") }
        ensureAccount(accountName)
        let (content, hash) = session.whole
        let new = EmulatedAccount.NewContent(content: content, size: session.size, hash: hash)
        // Removed from the dictionary, so that its many files are changed in place and not in a copy.
        guard var account = accounts.removeValue(forKey: accountName) else { throw .tag("operation_suppressed") }
        defer { accounts[accountName] = account }
        let committed = try account.commit(info, new, rules: rules, random: &random, now: now)
        uploads.commit(id)
        if committed.isWritten {
            record.commits += 1
            // The session's reference to the bytes is now the file's.
            if let replaced = committed.replaced { segments.release(replaced.content) }
        } else {
            record.unchangedCommits += 1
            segments.release(session.extents)
        }
        return committed.file
    }

    /// The emulator knows no templates: it commits the file, and refuses the property group.
    private static func propertiesError(_ info: CommitInfo) -> EmulatorJSON? {
        info.propertyTemplate.map {
            .tag("properties_error", nesting: .tag("template_not_found", nesting: .string($0)))
        }
    }
}
