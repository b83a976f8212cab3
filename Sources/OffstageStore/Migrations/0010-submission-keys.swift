// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Names that owners gave to hand-overs, so that one that is repeated makes no second transfer. A table of its own, since
    /// few transfers have one.
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
