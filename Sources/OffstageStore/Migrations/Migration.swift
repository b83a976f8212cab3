// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// One step of the schema. Steps are appended and never changed, so a store of any age can be brought up to date by the
/// missing ones.
package struct Migration: Sendable {
    /// The `user_version` after the step.
    package var version: Int
    package var sql: String
    /// Whether the step changes the text of the schema, which a defensive connection refuses.
    var rewritesSchema = false

    /// All steps, in order, numbered from 1 without a gap.
    package static let all: [Migration] = [
        .transfers, .sessions, .apps, .deferredWork, .accounts, .notifications, .tallies, .constantChecks,
        .timeline, .submissionKeys,
    ]

    /// The schema that this build knows.
    static var latest: Int { all.last?.version ?? 0 }

    /// Brings a store up to date. Each step is one transaction, so a crash leaves a complete schema of some version.
    static func migrate(_ connection: SQLiteConnection, steps: [Migration] = all) throws(SQLiteError) {
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        for step in steps where step.version > version {
            if step.rewritesSchema { try connection.harden(isDefensive: false) }
            defer { if step.rewritesSchema { try? connection.harden() } }
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                try connection.execute(step.sql)
                try connection.execute("PRAGMA user_version = \(step.version)")
                try connection.execute("COMMIT")
            } catch {
                try? connection.execute("ROLLBACK")
                throw error
            }
        }
    }
}
