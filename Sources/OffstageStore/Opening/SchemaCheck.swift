// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// Views and triggers of a schema must be ours; otherwise the file is salvaged into a new one.
enum SchemaCheck {
    /// - Throws: `SQLITE_CORRUPT` for a view, and for a trigger that no migration makes.
    static func run(_ connection: SQLiteConnection) throws(SQLiteError) {
        let rows = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') AND name <> 'session_has_news'"
        )
        defer { rows.finalize() }
        while try rows.step() {
            let found = (name: rows.text(0), sql: rows.text(1))
            guard Migration.tallyTriggers.contains(where: { $0 == found }) else {
                throw SQLiteError(code: SQLITE_CORRUPT, message: "it has a trigger or a view that is not Offstage's")
            }
        }
    }
}
