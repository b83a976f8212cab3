// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes transfers as rows: the only place that knows which column holds what when it is written.
///
/// Every call is part of a transaction that the caller began.
struct TransferTable {
    private let connection: SQLiteConnection
    private let encoder = JSONEncoder()

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func insert(_ transfer: Transfer) throws(SQLiteError) {
        let row = try connection.statement(
            """
            INSERT INTO transfers (id, priority, kind, result, finished_at, expiry_wall, expiry_boot, expiry_uptime,
                expiry_delay, owner, host_key, url, path)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """
        )
        bindChanging(transfer, to: row)
        row.bind(10, transfer.spec.owner)
        row.bind(11, transfer.spec.url.hostKey)
        row.bind(12, transfer.spec.url.description)
        row.bind(13, transfer.spec.path)
        try row.run()
        let record = try connection.statement("INSERT INTO records (id, record) VALUES (?1, ?2)")
        record.bind(1, transfer.id.rawValue)
        record.bind(2, try encode(transfer))
        try record.run()
    }

    /// - Throws: `SQLITE_NOTFOUND` when the transfer is not there: a change must not vanish in silence.
    func update(_ transfer: Transfer) throws(SQLiteError) {
        let record = try connection.statement("UPDATE records SET record = ?2 WHERE id = ?1")
        record.bind(1, transfer.id.rawValue)
        record.bind(2, try encode(transfer))
        try record.run()
        guard connection.changes == 1 else {
            throw SQLiteError(code: SQLITE_NOTFOUND, message: "transfer \(transfer.id) is not there")
        }
        // Most updates change the record alone; then neither this row nor its indexes are written.
        let row = try connection.statement(
            """
            UPDATE transfers SET priority = ?2, kind = ?3, result = ?4, finished_at = ?5, expiry_wall = ?6,
                expiry_boot = ?7, expiry_uptime = ?8, expiry_delay = ?9
            WHERE id = ?1 AND (priority, kind, result, finished_at, expiry_wall, expiry_boot, expiry_uptime,
                expiry_delay) IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        bindChanging(transfer, to: row)
        try row.run()
    }

    /// Deletes a transfer; that it is not there is as good.
    func delete(_ id: TransferID) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM transfers WHERE id = ?1")
        row.bind(1, id.rawValue)
        try row.run()
    }

    /// Remembers the highest id there ever was.
    func setHighestID(_ id: Int64) throws(SQLiteError) {
        let meta = try connection.statement("UPDATE meta SET value = ?1 WHERE key = 'highest_id'")
        meta.bind(1, String(id))
        try meta.run()
    }

    private func bindChanging(_ transfer: Transfer, to row: SQLiteStatement) {
        row.bind(1, transfer.id.rawValue)
        row.bind(2, transfer.spec.priority)
        row.bind(3, transfer.state.kind.rawValue)
        if case .finished(let outcome, let date) = transfer.state {
            row.bind(4, TransferQuery.Result(outcome).rawValue)
            row.bind(5, date.wall.timeIntervalSinceReferenceDate)
        } else {
            row.bind(4, String?.none)
            row.bind(5, Double?.none)
        }
        row.bind(6, transfer.expiry?.setAt.wall.timeIntervalSinceReferenceDate)
        row.bind(7, transfer.expiry?.setAt.bootID)
        row.bind(8, transfer.expiry?.setAt.uptime)
        row.bind(9, transfer.expiry?.delay)
    }

    private func encode(_ transfer: Transfer) throws(SQLiteError) -> Data {
        do {
            return try encoder.encode(transfer)
        } catch {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "transfer \(transfer.id) cannot be encoded: \(error)")
        }
    }
}

extension TransferQuery.Result {
    init(_ outcome: TransferOutcome) {
        switch outcome {
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
