// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Writes the rows of sessions: a session's number in the file, and its highest task number ever.
///
/// A hundred thousand inserts write a session's row once per commit rather than once each.
final class SessionTable {
    private struct Key: Hashable {
        var owner: String
        var identifier: String
    }

    private struct Row {
        var id: Int64
        var highestTask: Int64
        var isRaised = false
    }

    /// The known sessions, with the changes of the present transaction.
    private var rows: [Key: Row] = [:]
    private let connection: SQLiteConnection

    /// The number of sessions remembered between commits.
    private static let limit = 256

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// The session's number in the file, assigned here for a new session; it has or had a task of this number.
    func id(of key: SessionTaskKey, owner: String) throws(SQLiteError) -> Int64 {
        try raise(key.session, of: owner, to: Int64(key.task))
    }

    /// - Returns: the session's number in the file.
    @discardableResult
    func raise(_ identifier: String, of owner: String, to task: Int64) throws(SQLiteError) -> Int64 {
        let key = Key(owner: owner, identifier: identifier)
        var row: Row
        if let known = rows[key] {
            row = known
        } else if let stored = try stored(key) {
            row = stored
        } else {
            row = try insert(key)
        }
        if task > row.highestTask {
            row.highestTask = task
            row.isRaised = true
        }
        rows[key] = row
        return row.id
    }

    /// Writes the numbers that the transaction has raised, just before it is committed.
    func write() throws(SQLiteError) {
        for (key, row) in rows where row.isRaised {
            let update = try connection.statement("UPDATE sessions SET highest_task = ?2 WHERE id = ?1")
            update.bind(1, row.id)
            update.bind(2, row.highestTask)
            try update.run()
            rows[key]?.isRaised = false
        }
        if rows.count > Self.limit { rows = [:] }
    }

    /// Forgets the changes of a failed transaction.
    func rollBack() {
        rows = [:]
    }

    private func stored(_ key: Key) throws(SQLiteError) -> Row? {
        let row = try connection.statement("SELECT id, highest_task FROM sessions WHERE owner = ?1 AND identifier = ?2")
        row.bind(1, key.owner)
        row.bind(2, key.identifier)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Row(id: row.integer(0), highestTask: row.integer(1))
    }

    private func insert(_ key: Key) throws(SQLiteError) -> Row {
        let row = try connection.statement("INSERT INTO sessions (owner, identifier, highest_task) VALUES (?1, ?2, 0)")
        row.bind(1, key.owner)
        row.bind(2, key.identifier)
        try row.run()
        return Row(id: connection.lastInsertedID, highestTask: 0)
    }
}
