// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// The version of a database's schema.
struct SchemaState {
    /// 0 if there is none.
    let version: Int

    init(_ database: DatabaseClient) throws(DatabaseError) {
        let isThere = try database.ask("SELECT to_regclass('offstage.migration') IS NOT NULL AS there").first?.flag(
            "there"
        )
        guard isThere == true else {
            version = 0
            return
        }
        let answer = try database.ask("SELECT max(version) AS version FROM offstage.migration").first
        version = answer?.number("version", Counts.self) ?? 0
    }

    /// Applies the missing steps, each in its own transaction. If interrupted, the next call continues from there.
    ///
    /// - Throws: `DatabaseError`; `CommandFailure` for a schema that only a later version of this program knows.
    static func upgrade(_ database: DatabaseClient) throws -> (from: Int, to: Int) {
        if let sentence = try DatabaseKind(database).refusal { throw CommandFailure(sentence, .daemonUnreachable) }
        let first = try SchemaState(database).version
        let last = SchemaStep.all.count
        guard first <= last else {
            throw CommandFailure(
                "The database has version \(first) of the schema, and this program knows \(last): use a newer Offstage.",
                .daemonUnreachable
            )
        }
        for step in SchemaStep.all.dropFirst(first) {
            do {
                try database.apply(step)
            } catch {
                // Another process may be doing the same.
                guard error.kind != .connection, try SchemaState(database).version >= step.version else { throw error }
            }
        }
        return (first, last)
    }
}
