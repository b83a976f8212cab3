// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes transfers as rows: the only place that knows how to write each column.
///
/// Every call is part of a transaction that the caller began.
struct TransferTable {
    private let connection: SQLiteConnection
    private let sessions: SessionTable
    private let coder: RecordCoder

    init(_ connection: SQLiteConnection, sessions: SessionTable, coder: RecordCoder) {
        self.connection = connection
        self.sessions = sessions
        self.coder = coder
    }

    /// - Parameters:
    ///   - transfer: the transfer to insert.
    ///   - encodedSpec: its specification as JSON, stored unchanged; nil to encode it.
    /// - Throws: the store's `duplicateTask` if the task exists, and `duplicateKey` if the submission key does.
    func insert(_ transfer: Transfer, encodedSpec: [UInt8]?) throws(SQLiteError) {
        let spec = transfer.spec
        let row = try connection.statement(
            """
            INSERT INTO transfers (id, kind, result, finished_at, expiry_wall, expiry_boot, expiry_uptime,
                expiry_delay, priority, host_key, url, path, connections_per_host, owner, session, task, event_pending)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                ?15 IS NOT NULL AND ?2 = 'finished')
            """
        )
        bindChanging(transfer, to: row)
        bindSpec(spec, to: row)
        row.bind(14, spec.owner)
        if let key = spec.sessionTask {
            row.bind(15, try sessions.id(of: key, owner: spec.owner))
            row.bind(16, Int64(key.task))
        } else {
            row.bindNull(15)
            row.bindNull(16)
        }
        do throws(SQLiteError) {
            try row.run()
        } catch {
            guard let key = spec.sessionTask, error.isViolation(of: "transfers.task") else { throw error }
            throw error.meaning(.duplicateTask(key, owner: spec.owner))
        }
        if let key = SubmissionKey(spec) { try insert(key, of: transfer.id) }
        let record = try connection.statement("INSERT INTO records (id, record, spec) VALUES (?1, ?2, ?3)")
        record.bind(1, transfer.id.rawValue)
        record.bind(2, try coder.record(of: transfer))
        if let encodedSpec { record.bind(3, encodedSpec) } else { record.bind(3, try coder.spec(of: transfer)) }
        try record.run()
    }

    private func insert(_ key: SubmissionKey, of id: TransferID) throws(SQLiteError) {
        let row = try connection.statement("INSERT INTO submission_keys (owner, key, transfer) VALUES (?1, ?2, ?3)")
        row.bind(1, key.owner)
        row.bind(2, key.text)
        row.bind(3, id.rawValue)
        do throws(SQLiteError) {
            try row.run()
        } catch {
            guard error.isViolation(of: "submission_keys.key") else { throw error }
            throw error.meaning(.duplicateKey(key.text, owner: key.owner))
        }
    }

    /// Writes the parts of a transfer that change without its specification.
    ///
    /// - Throws: `SQLITE_NOTFOUND` if the transfer is missing: a change must not be lost silently.
    func update(_ transfer: Transfer) throws(SQLiteError) {
        let record = try connection.statement("UPDATE records SET record = ?2 WHERE id = ?1")
        record.bind(1, transfer.id.rawValue)
        record.bind(2, try coder.record(of: transfer))
        try record.run()
        guard connection.changes == 1 else {
            throw SQLiteError(code: SQLITE_NOTFOUND, message: "transfer \(transfer.id) is not there")
        }
        // Most updates change only the record; then neither this row nor its indexes are written. The end of a task is
        // an event for its app, but only once: if the task had not ended before.
        let row = try connection.statement(
            """
            UPDATE transfers SET kind = ?2, result = ?3, finished_at = ?4, expiry_wall = ?5, expiry_boot = ?6,
                expiry_uptime = ?7, expiry_delay = ?8,
                event_pending = CASE WHEN ?2 <> 'finished' THEN 0 WHEN kind = 'finished' THEN event_pending
                    ELSE session IS NOT NULL END,
                file_taken = CASE WHEN ?2 = 'finished' AND kind = 'finished' THEN file_taken ELSE 0 END
            WHERE id = ?1 AND (kind, result, finished_at, expiry_wall, expiry_boot, expiry_uptime, expiry_delay)
                IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        bindChanging(transfer, to: row)
        try row.run()
    }

    /// Like `update`, and also writes everything that depends on the specification. A task remains the same task.
    func updateWithSpec(_ transfer: Transfer) throws(SQLiteError) {
        try update(transfer)
        let record = try connection.statement("UPDATE records SET spec = ?2 WHERE id = ?1")
        record.bind(1, transfer.id.rawValue)
        record.bind(2, try coder.spec(of: transfer))
        try record.run()
        let row = try connection.statement(
            """
            UPDATE transfers SET priority = ?9, host_key = ?10, url = ?11, path = ?12, connections_per_host = ?13
            WHERE id = ?1 AND (priority, host_key, url, path, connections_per_host) IS NOT (?9, ?10, ?11, ?12, ?13)
            """
        )
        row.bind(1, transfer.id.rawValue)
        bindSpec(transfer.spec, to: row)
        try row.run()
    }

    /// Deletes a transfer, if there is one.
    ///
    /// - Throws: the store's `endNotTold` for a task whose app has not received its end.
    func delete(_ id: TransferID) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM transfers WHERE id = ?1 AND event_pending = 0")
        row.bind(1, id.rawValue)
        try row.run()
        guard connection.changes == 0 else { return }
        let pending = try connection.statement("SELECT owner FROM transfers WHERE id = ?1")
        pending.bind(1, id.rawValue)
        defer { pending.reset() }
        guard try pending.step() else { return }
        let error = SQLiteError(code: SQLITE_CONSTRAINT, message: "transfer \(id) has an event")
        throw error.meaning(.endNotTold(id, owner: pending.text(0)))
    }

    /// Deletes an ended transfer, unless it has been begun again since it was found.
    ///
    /// - Returns: whether it was deleted.
    func prune(_ end: DueEnd) throws(SQLiteError) -> Bool {
        let row = try connection.statement(
            "DELETE FROM transfers WHERE id = ?1 AND finished_at = ?2 AND event_pending = 0"
        )
        row.bind(1, end.id.rawValue)
        row.bind(2, end.finishedAt)
        try row.run()
        return connection.changes > 0
    }

    /// Records that the app has taken the file. Nothing happens if the transfer belongs to another owner or the app
    /// already knows its end.
    func recordFileTaken(_ id: TransferID, owner: String) throws(SQLiteError) {
        let row = try connection.statement(
            "UPDATE transfers SET file_taken = 1 WHERE id = ?1 AND owner = ?2 AND event_pending = 1"
        )
        row.bind(1, id.rawValue)
        row.bind(2, owner)
        try row.run()
    }

    /// Records that the app has received the end. Nothing happens if the transfer belongs to another owner.
    func acknowledge(_ id: TransferID, owner: String) throws(SQLiteError) {
        let row = try connection.statement(
            "UPDATE transfers SET event_pending = 0 WHERE id = ?1 AND owner = ?2 AND event_pending = 1"
        )
        row.bind(1, id.rawValue)
        row.bind(2, owner)
        try row.run()
    }

    /// Stores the highest id ever used.
    func setHighestID(_ id: Int64) throws(SQLiteError) {
        let meta = try connection.statement("UPDATE meta SET value = ?1 WHERE key = 'highest_id'")
        meta.bind(1, String(id))
        try meta.run()
    }

    /// Binds parameters 1 to 8.
    private func bindChanging(_ transfer: Transfer, to row: SQLiteStatement) {
        row.bind(1, transfer.id.rawValue)
        row.bind(2, transfer.state.kind.rawValue)
        if case .finished(let outcome, let date) = transfer.state {
            row.bind(3, TransferQuery.Result(outcome).rawValue)
            row.bind(4, date.wall.timeIntervalSinceReferenceDate)
        } else {
            row.bindNull(3)
            row.bindNull(4)
        }
        row.bind(5, transfer.expiry?.setAt.wall.timeIntervalSinceReferenceDate)
        row.bind(6, transfer.expiry?.setAt.bootID)
        row.bind(7, transfer.expiry?.setAt.uptime)
        row.bind(8, transfer.expiry?.delay)
    }

    /// Binds parameters 9 to 13.
    private func bindSpec(_ spec: TransferSpec, to row: SQLiteStatement) {
        row.bind(9, spec.priority)
        row.bind(10, spec.url.hostKey)
        row.bind(11, spec.destination)
        // A search for any file of a form must find it, because unclaimed files are deleted.
        row.bind(12, spec.paths.joined(separator: "\n"))
        if spec.mirrors?.addresses.count ?? 1 > 1 || !spec.predecessors.isEmpty {
            row.bind(13, UnfinishedScan.mustBeRead)
        } else if let limit = spec.connectionsPerHost {
            row.bind(13, Int64(limit))
        } else {
            row.bindNull(13)
        }
    }
}

extension TransferQuery.Result {
    init(_ outcome: TransferOutcome) {
        switch outcome {
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled, .cancelledByQuit, .released: self = .cancelled
        }
    }
}
