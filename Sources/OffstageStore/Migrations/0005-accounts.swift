// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Accounts at file services.
    static let accounts = Migration(
        version: 5,
        sql: """
            CREATE TABLE accounts (
                name TEXT PRIMARY KEY NOT NULL,
                -- `Account` as JSON.
                account BLOB NOT NULL,
                -- `AccountGrant`, encrypted under a key that is not in the store; NULL when there is none.
                grant_sealed BLOB
            ) STRICT, WITHOUT ROWID;
            """
    )
}
