// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes the rows of apps. Every call is part of a transaction that the caller began.
final class AppTable {
    private let connection: SQLiteConnection
    private let encoder = JSONEncoder()
    /// Entries written since an app's story was last shortened; missing if this run of the daemon has not shortened it
    /// yet.
    private var sinceTrim: [String: Int] = [:]

    /// The number of entries that an app's story is shortened to, now and then.
    static let storyLimit = 2000
    private static let trimInterval = 200

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func put(_ app: AppRegistration) throws(SQLiteError) {
        let row = try connection.statement(
            "INSERT INTO apps (id, registration) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET registration = ?2"
        )
        row.bind(1, app.id)
        row.bind(2, try encoded(app, of: app.id))
        try row.run()
    }

    func delete(_ app: String) throws(SQLiteError) {
        for sql in ["DELETE FROM apps WHERE id = ?1", "DELETE FROM app_entries WHERE app = ?1"] {
            let row = try connection.statement(sql)
            row.bind(1, app)
            try row.run()
        }
        sinceTrim[app] = nil
    }

    func append(_ entry: AppEntry, to app: String) throws(SQLiteError) {
        let row = try connection.statement("INSERT INTO app_entries (app, entry) VALUES (?1, ?2)")
        row.bind(1, app)
        row.bind(2, try encoded(entry, of: app))
        try row.run()
        // Also at its first entry: otherwise a series of daemons that each write little would never shorten it.
        let count = sinceTrim[app].map { $0 + 1 } ?? Self.trimInterval
        sinceTrim[app] = count
        if count >= Self.trimInterval { try trim(app) }
    }

    private func trim(_ app: String) throws(SQLiteError) {
        sinceTrim[app] = 0
        let row = try connection.statement(
            """
            DELETE FROM app_entries WHERE app = ?1 AND number <= IFNULL(
                (SELECT number FROM app_entries WHERE app = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2), 0)
            """
        )
        row.bind(1, app)
        row.bind(2, Int64(Self.storyLimit))
        try row.run()
    }

    func recordAnnounced(_ session: SessionName) throws(SQLiteError) {
        let row = try connection.statement("UPDATE sessions SET announced = 1 WHERE owner = ?1 AND identifier = ?2")
        row.bind(1, session.app)
        row.bind(2, session.identifier)
        try row.run()
    }

    private func encoded(_ value: some Encodable, of app: String) throws(SQLiteError) -> [UInt8] {
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "the app \(app) cannot be encoded: \(error)")
        }
    }
}
