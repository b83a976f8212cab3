// SPDX-License-Identifier: Apache-2.0
import CSQLite
import OffstageCore

/// The number of transfers of each kind, maintained by the store's triggers.
struct Tallies {
    private(set) var kinds: [TransferState.Kind: Int] = [:]
    private var untold = 0

    /// Reads six rows, regardless of the number of transfers.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        let rows = try connection.statement("SELECT name, number FROM tallies")
        defer { rows.reset() }
        while try rows.step() {
            // Limited, so that no file can cause an overflow.
            let number = Int(clamping: min(max(rows.integer(1), 0), TransferID.greatest))
            if let kind = TransferState.Kind(rawValue: rows.text(0)) {
                if number > 0 { kinds[kind] = number }
            } else if rows.text(0) == "untold" {
                untold = number
            }
        }
    }

    /// The number of ended transfers that may be pruned.
    var forgettable: Int { max(0, (kinds[.finished] ?? 0) - untold) }  // checked: both are from 0 to 2^53

    /// Compares the tallies with the rows, and recounts if they differ, as when another program has changed the file.
    /// Reads an index; a full disk does not prevent the start.
    static func correct(_ connection: SQLiteConnection) throws(SQLiteError) {
        let isWrong = try connection.integer(
            """
            SELECT 1 FROM (SELECT kind AS name, COUNT(*) AS number FROM transfers GROUP BY kind
                UNION ALL SELECT 'untold', COUNT(*) FROM transfers WHERE event_pending = 1
                UNION ALL SELECT '', 0 WHERE (SELECT COUNT(*) FROM tallies) < 6
                UNION ALL SELECT name, 0 FROM tallies WHERE name <> 'untold'
                    AND NOT EXISTS (SELECT 1 FROM transfers WHERE kind = name)) AS seen
            WHERE seen.number <> IFNULL((SELECT number FROM tallies WHERE tallies.name = seen.name), -1) LIMIT 1
            """
        )
        guard isWrong != nil else { return }
        do throws(SQLiteError) {
            try connection.execute(Migration.recount)
        } catch {
            guard error.code == SQLITE_FULL else { throw error }
        }
    }
}
