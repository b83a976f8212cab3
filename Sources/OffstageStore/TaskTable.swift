// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes the rows of deferred work. Every call is part of a transaction that the caller began.
final class TaskTable {
    private let connection: SQLiteConnection
    private let notifications: NotificationTable
    private let encoder = JSONEncoder()
    /// Entries written since an app's whole history was last shortened; missing if this run of the daemon has not
    /// shortened it yet.
    private var sinceTrim: [String: Int] = [:]

    /// The number of entries kept for an identifier.
    static let identifierLimit = 20
    /// An app's history is shortened to so many entries, now and then, because it may use each identifier once.
    static let appLimit = 2000
    private static let trimInterval = 200

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        notifications = NotificationTable(connection)
    }

    func apply(_ change: TaskChange) throws(SQLiteError) {
        switch change {
        case .insert(let request, let nonce): try insert(request, nonce: nonce)
        case .setPhase(let number, let phase, let attempts): try setPhase(phase, attempts: attempts, of: number)
        case .delete(let number): try delete(number)
        case .append(let entry): try append(entry)
        case .setBudget(let use): try put(use)
        case .deleteApp(let app): try deleteApp(app)
        case .notification(let change): try notifications.apply(change)
        }
    }

    /// Inserts a record as it is; a pending one replaces another of the same app and identifier.
    func insert(_ record: TaskRecord) throws(SQLiteError) {
        try insert(record.request, nonce: nil)
        if record.phase != .pending || record.attempts > 0 {
            try setPhase(record.phase, attempts: record.attempts, of: record.request.number)
        }
    }

    private func insert(_ request: TaskRequest, nonce: UInt64?) throws(SQLiteError) {
        let old = try connection.statement("DELETE FROM tasks WHERE app = ?1 AND identifier = ?2 AND phase = 0")
        old.bind(1, request.app)
        old.bind(2, request.identifier)
        try old.run()
        let row = try connection.statement(
            """
            INSERT INTO tasks (number, app, identifier, kind, earliest, network, power, title, subtitle, submitted_wall,
                submitted_uptime, submitted_boot, nonce)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """
        )
        row.bind(1, Int64(clamping: request.number))
        row.bind(2, request.app)
        row.bind(3, request.identifier)
        row.bind(4, request.kind.rawValue)
        row.bind(5, request.earliestBegin?.timeIntervalSinceReferenceDate)
        row.bind(6, request.requiresNetwork ? 1 : 0)
        row.bind(7, request.requiresExternalPower ? 1 : 0)
        row.bind(8, request.title)
        row.bind(9, request.subtitle)
        row.bind(10, request.submitted.wall.timeIntervalSinceReferenceDate)
        row.bind(11, request.submitted.uptime)
        row.bind(12, request.submitted.bootID)
        if let nonce { row.bind(13, Int64(bitPattern: nonce)) } else { row.bindNull(13) }
        try row.run()
    }

    /// Sets a request's phase. Changes nothing if the request is missing: it was cancelled in the meantime.
    private func setPhase(_ phase: TaskRecord.Phase, attempts: Int, of number: UInt64) throws(SQLiteError) {
        let number = Int64(clamping: number)
        if phase == .pending, try isReplaced(number) {
            let row = try connection.statement("DELETE FROM tasks WHERE number = ?1")
            row.bind(1, number)
            return try row.run()
        }
        let row = try connection.statement(
            """
            UPDATE tasks SET phase = ?2, since_wall = ?3, since_uptime = ?4, since_boot = ?5, attempts = ?6
            WHERE number = ?1
            """
        )
        let (code, since): (Int64, Moment?) =
            switch phase {
            case .pending: (0, nil)
            case .starting(let since): (1, since)
            case .running(let since): (2, since)
            }
        row.bind(1, number)
        row.bind(2, code)
        row.bind(3, since?.wall.timeIntervalSinceReferenceDate)
        row.bind(4, since?.uptime)
        row.bind(5, since?.bootID)
        row.bind(6, Int64(attempts))
        try row.run()
    }

    /// Whether the app has submitted the identifier again while this request was running.
    private func isReplaced(_ number: Int64) throws(SQLiteError) -> Bool {
        let row = try connection.statement(
            """
            SELECT 1 FROM tasks AS this JOIN tasks AS other USING (app, identifier)
            WHERE this.number = ?1 AND other.number <> ?1 AND other.phase = 0
            """
        )
        row.bind(1, number)
        defer { row.reset() }
        return try row.step()
    }

    private func delete(_ number: UInt64) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM tasks WHERE number = ?1")
        row.bind(1, Int64(clamping: number))
        try row.run()
    }

    private func put(_ use: TaskBudgetUse) throws(SQLiteError) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO task_budgets (app, used, typical, wall, uptime, boot) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        row.bind(1, use.app)
        row.bind(2, use.used)
        row.bind(3, use.typicalSeconds)
        row.bind(4, use.moment.wall.timeIntervalSinceReferenceDate)
        row.bind(5, use.moment.uptime)
        row.bind(6, use.moment.bootID)
        try row.run()
    }

    private func append(_ entry: TaskEntry) throws(SQLiteError) {
        let row = try connection.statement("INSERT INTO task_entries (app, identifier, entry) VALUES (?1, ?2, ?3)")
        row.bind(1, entry.app)
        row.bind(2, entry.identifier)
        row.bind(3, try encoded(entry))
        try row.run()
        let old = try connection.statement(
            """
            DELETE FROM task_entries WHERE app = ?1 AND identifier = ?2 AND id <= IFNULL(
                (SELECT id FROM task_entries WHERE app = ?1 AND identifier = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3), 0)
            """
        )
        old.bind(1, entry.app)
        old.bind(2, entry.identifier)
        old.bind(3, Int64(Self.identifierLimit))
        try old.run()
        // At its first entry as well, because a series of daemons that each write little would never shorten it.
        let count = sinceTrim[entry.app].map { $0 + 1 } ?? Self.trimInterval
        sinceTrim[entry.app] = count
        if count >= Self.trimInterval { try trim(entry.app) }
    }

    private func trim(_ app: String) throws(SQLiteError) {
        sinceTrim[app] = 0
        let row = try connection.statement(
            """
            DELETE FROM task_entries WHERE app = ?1 AND id <= IFNULL(
                (SELECT id FROM task_entries WHERE app = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2), 0)
            """
        )
        row.bind(1, app)
        row.bind(2, Int64(Self.appLimit))
        try row.run()
    }

    private func deleteApp(_ app: String) throws(SQLiteError) {
        // In two halves, each of which has an index.
        for sql in [
            "DELETE FROM tasks WHERE app = ?1 AND phase = 0",
            "DELETE FROM tasks WHERE app = ?1 AND phase <> 0",
            "DELETE FROM task_entries WHERE app = ?1",
            "DELETE FROM task_budgets WHERE app = ?1",
        ] {
            let row = try connection.statement(sql)
            row.bind(1, app)
            try row.run()
        }
        sinceTrim[app] = nil
    }

    /// Ensures that numbers up to this one are not reused.
    func raiseHighestNumber(to number: Int64) throws(SQLiteError) {
        for sql in [
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'tasks', 0 WHERE NOT EXISTS "
                + "(SELECT 1 FROM sqlite_sequence WHERE name = 'tasks')",
            "UPDATE sqlite_sequence SET seq = MAX(seq, \(number)) WHERE name = 'tasks'",
        ] {
            try connection.execute(sql)
        }
    }

    private func encoded(_ entry: TaskEntry) throws(SQLiteError) -> [UInt8] {
        do {
            return Array(try encoder.encode(entry))
        } catch {
            let what = "what became of \(entry.app)/\(entry.identifier)"
            throw SQLiteError(code: SQLITE_MISMATCH, message: "\(what) cannot be encoded: \(error)")
        }
    }
}
