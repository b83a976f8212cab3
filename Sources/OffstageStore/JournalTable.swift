// SPDX-License-Identifier: Apache-2.0
import CSQLite
import OffstageCore

/// Writes the rows of hand-over journals. Every call is part of a transaction that the caller began.
struct JournalTable {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func insert(_ name: String, owner: String, sequence: Int64 = 0) throws(SQLiteError) {
        let row = try connection.statement("INSERT INTO journals (name, owner, sequence) VALUES (?1, ?2, ?3)")
        row.bind(1, name)
        row.bind(2, owner)
        row.bind(3, sequence)
        try row.run()
    }

    /// Records how far a journal has been taken in; never decreases.
    ///
    /// - Throws: `SQLITE_NOTFOUND` if the journal is missing: without this record its entries would be taken in twice.
    func advance(_ name: String, to sequence: UInt64) throws(SQLiteError) {
        let row = try connection.statement("UPDATE journals SET sequence = MAX(sequence, ?2) WHERE name = ?1")
        row.bind(1, name)
        row.bind(2, Int64(clamping: sequence))
        try row.run()
        guard connection.changes == 1 else {
            throw SQLiteError(code: SQLITE_NOTFOUND, message: "the journal \(name) is not there")
        }
    }

    /// Deletes a journal's row, if there is one.
    func delete(_ name: String) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM journals WHERE name = ?1")
        row.bind(1, name)
        try row.run()
    }
}
