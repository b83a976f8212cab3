// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes the rows of notifications. Every call is part of a transaction that the caller began.
final class NotificationTable {
    private let connection: SQLiteConnection
    private let encoder = JSONEncoder()

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func apply(_ change: NotificationChange) throws(SQLiteError) {
        switch change {
        case .put(let record): try put(record)
        case .delete(let app, let identifier, let place): try delete(app, place, identifier)
        case .putStanding(let standing): try put(standing)
        case .deleteApp(let app): try deleteApp(app)
        }
    }

    private func put(_ record: NotificationRecord) throws(SQLiteError) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO notifications (app, place, identifier, record) VALUES (?1, ?2, ?3, ?4)"
        )
        row.bind(1, record.app)
        row.bind(2, record.place.rawValue)
        row.bind(3, record.request.identifier)
        row.bind(4, try encoded(record, "a notification of \(record.app)"))
        try row.run()
    }

    private func delete(
        _ app: String,
        _ place: NotificationRecord.Place,
        _ identifier: String
    ) throws(SQLiteError) {
        let row = try connection.statement(
            "DELETE FROM notifications WHERE app = ?1 AND place = ?2 AND identifier = ?3"
        )
        row.bind(1, app)
        row.bind(2, place.rawValue)
        row.bind(3, identifier)
        try row.run()
    }

    private func put(_ standing: NotificationStanding) throws(SQLiteError) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO notification_standings (app, standing) VALUES (?1, ?2)"
        )
        row.bind(1, standing.app)
        row.bind(2, try encoded(standing, "what \(standing.app) may notify of"))
        try row.run()
    }

    private func deleteApp(_ app: String) throws(SQLiteError) {
        for sql in [
            "DELETE FROM notifications WHERE app = ?1", "DELETE FROM notification_standings WHERE app = ?1",
        ] {
            let row = try connection.statement(sql)
            row.bind(1, app)
            try row.run()
        }
    }

    private func encoded(_ value: some Encodable, _ what: String) throws(SQLiteError) -> [UInt8] {
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "\(what) cannot be encoded: \(error)")
        }
    }
}

/// Reads the rows of notifications, and checks each against its key and the limits for apps.
enum NotificationScan {
    static let standings = "SELECT app, standing FROM notification_standings"
    static let records = "SELECT app, place, identifier, record FROM notifications"

    /// The standing in a row; nil if the row is invalid.
    static func standing(from row: SQLiteStatement, _ decoder: JSONDecoder) -> NotificationStanding? {
        guard let standing = try? decoder.decode(NotificationStanding.self, from: row.data(1)),
            standing.app == row.text(0), NotificationStanding.problem(of: standing.categories) == nil
        else { return nil }
        return standing
    }

    /// The record in a row; nil if the row is invalid.
    static func record(from row: SQLiteStatement, _ decoder: JSONDecoder) -> NotificationRecord? {
        guard let record = try? decoder.decode(NotificationRecord.self, from: row.data(3)),
            record.app == row.text(0), record.place.rawValue == row.integer(1),
            record.request.identifier == row.text(2), record.request.problem == nil
        else { return nil }
        return record
    }
}
