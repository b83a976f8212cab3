// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Owners' names for hand-overs, which prevent a repeated hand-over from making a second transfer. In a separate
    /// table, because few transfers have one.
    static let submissionKeys = Migration(
        version: 10,
        sql: """
            CREATE TABLE submission_keys (
                owner TEXT NOT NULL,
                key TEXT NOT NULL,
                transfer INTEGER NOT NULL UNIQUE REFERENCES transfers (id) ON DELETE CASCADE,
                PRIMARY KEY (owner, key)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
