// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Queries about background sessions. Each is answered from an index in order, so the number of tasks in a session does
/// not slow any of them down.
extension StoreReader {
    func session(_ identifier: String, of owner: String) throws(SQLiteError) -> SessionStanding {
        let row = try connection.statement(
            "SELECT id, highest_task FROM sessions WHERE owner = ?1 AND identifier = ?2"
        )
        row.bind(1, owner)
        row.bind(2, identifier)
        defer { row.reset() }
        guard try row.step() else { return SessionStanding() }
        let id = row.integer(0)
        let outstanding = "session = ?1 AND kind <> 'finished'"
        return SessionStanding(
            highestTask: Int(min(max(row.integer(1), 0), TransferID.greatest)),
            outstanding: try count(outstanding, session: id),
            pendingEnds: try count("session = ?1 AND event_pending = 1", session: id)
        )
    }

    private func count(_ condition: String, session: Int64) throws(SQLiteError) -> Int {
        let limit = SessionStanding.countLimit
        let row = try connection.statement(
            "SELECT COUNT(*) FROM (SELECT 1 FROM transfers WHERE \(condition) LIMIT \(limit))"
        )
        row.bind(1, session)
        defer { row.reset() }
        return try row.step() ? Int(row.integer(0)) : 0
    }

    private func sessionID(_ identifier: String, of owner: String) throws(SQLiteError) -> Int64? {
        let row = try connection.statement("SELECT id FROM sessions WHERE owner = ?1 AND identifier = ?2")
        row.bind(1, owner)
        row.bind(2, identifier)
        defer { row.reset() }
        return try row.step() ? row.integer(0) : nil
    }

    func sessionTasks(
        _ identifier: String,
        of owner: String,
        after task: Int,
        limit: Int
    ) throws(SQLiteError) -> [StoredSessionTask] {
        guard let session = try sessionID(identifier, of: owner) else { return [] }
        let rows = try connection.statement(
            """
            SELECT id, task, kind, spec FROM transfers JOIN records USING (id)
            WHERE session = ?1 AND kind <> 'finished' AND task > ?2 ORDER BY task LIMIT ?3
            """
        )
        rows.bind(1, session)
        rows.bind(2, Int64(task))
        rows.bind(3, Int64(clamped(limit)))
        defer { rows.reset() }
        var tasks: [StoredSessionTask] = []
        while try rows.step() {
            guard let kind = TransferState.Kind(rawValue: rows.text(2)) else { continue }
            let id = TransferID(rawValue: rows.integer(0))
            tasks.append(.init(id: id, task: Int(rows.integer(1)), kind: kind, spec: rows.blobText(3)))
        }
        return tasks
    }

    func pendingEnds(
        _ identifier: String,
        of owner: String,
        after last: TransferID?,
        limit: Int
    ) throws(SQLiteError) -> [PendingEnd] {
        guard let session = try sessionID(identifier, of: owner) else { return [] }
        // If that row has since been deleted, the page starts over.
        let rows = try connection.statement(
            """
            SELECT transfers.id, file_taken, record, spec FROM transfers JOIN records USING (id)
            WHERE session = ?1 AND event_pending = 1
                AND (finished_at, transfers.id) > (IFNULL((SELECT finished_at FROM transfers WHERE id = ?2), -1e300), ?2)
            ORDER BY finished_at, transfers.id LIMIT ?3
            """
        )
        rows.bind(1, session)
        rows.bind(2, last?.rawValue ?? 0)
        rows.bind(3, Int64(clamped(limit)))
        defer { rows.reset() }
        var ends: [PendingEnd] = []
        while try rows.step() {
            let transfer = coder.transfer(rows.integer(0), record: rows.data(2), spec: rows.data(3))
            if let transfer { ends.append(PendingEnd(transfer: transfer, isFileTaken: rows.integer(1) != 0)) }
        }
        return ends
    }

    func untold(_ ids: [TransferID]) throws(SQLiteError) -> Set<TransferID> {
        var untold: Set<TransferID> = []
        let row = try connection.statement("SELECT 1 FROM transfers WHERE id = ?1 AND event_pending = 1")
        for id in ids {
            row.bind(1, id.rawValue)
            if try row.step() { untold.insert(id) }
            row.reset()
        }
        return untold
    }

    func transferIDs(of keys: [SessionTaskKey], owner: String) throws(SQLiteError) -> [TransferID?] {
        var ids: [TransferID?] = []
        ids.reserveCapacity(keys.count)
        let row = try connection.statement("SELECT id FROM transfers WHERE session = ?1 AND task = ?2")
        var last: (identifier: String, id: Int64?)?
        for key in keys {
            let session = last?.identifier == key.session ? last?.id : try sessionID(key.session, of: owner)
            last = (key.session, session)
            guard let session else {
                ids.append(nil)
                continue
            }
            row.reset()
            row.bind(1, session)
            row.bind(2, Int64(key.task))
            ids.append(try row.step() ? TransferID(rawValue: row.integer(0)) : nil)
        }
        row.reset()
        return ids
    }

    func transferIDs(of keys: [SubmissionKey]) throws(SQLiteError) -> [TransferID?] {
        var ids: [TransferID?] = []
        ids.reserveCapacity(keys.count)
        let row = try connection.statement("SELECT transfer FROM submission_keys WHERE owner = ?1 AND key = ?2")
        for key in keys {
            row.bind(1, key.owner)
            row.bind(2, key.text)
            ids.append(try row.step() ? TransferID(rawValue: row.integer(0)) : nil)
            row.reset()
        }
        return ids
    }

    func journals() throws(SQLiteError) -> [StoredJournal] {
        let rows = try connection.statement("SELECT name, owner, sequence FROM journals ORDER BY name")
        defer { rows.reset() }
        var journals: [StoredJournal] = []
        while try rows.step() {
            journals.append(
                StoredJournal(name: rows.text(0), owner: rows.text(1), sequence: UInt64(clamping: rows.integer(2)))
            )
        }
        return journals
    }

    private func clamped(_ limit: Int) -> Int { min(max(0, limit), Self.maximumPage) }
}
