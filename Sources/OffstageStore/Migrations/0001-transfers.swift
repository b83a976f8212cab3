// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Transfers, in two tables. The columns that the queue reads at a start, and that lists are filtered by, are small
    /// and stored together. The whole record, ten times as long, is only read by id.
    ///
    /// Dates are seconds since 2001-01-01 UTC, as in `Date`, so they are restored to the last bit.
    static let transfers = Migration(
        version: 1,
        sql: """
            CREATE TABLE meta (
                key TEXT PRIMARY KEY,
                value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- The highest id there ever was: ids of deleted transfers are not used again.
            INSERT INTO meta VALUES ('highest_id', '0');
            -- Part of the names of partial files, so that two stores cannot take each other's.
            INSERT INTO meta VALUES ('store_token', lower(hex(randomblob(4))));

            CREATE TABLE transfers (
                id INTEGER PRIMARY KEY CHECK (id > 0),
                owner TEXT NOT NULL,
                host_key TEXT NOT NULL,
                url TEXT NOT NULL,
                path TEXT NOT NULL,
                priority REAL NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('queued', 'waiting', 'running', 'paused', 'finished')),
                result TEXT CHECK (result IN ('completed', 'failed', 'cancelled')),
                finished_at REAL,
                expiry_wall REAL,
                expiry_boot TEXT,
                expiry_uptime REAL,
                expiry_delay REAL,
                CHECK ((kind = 'finished') = (result IS NOT NULL)),
                CHECK ((kind = 'finished') = (finished_at IS NOT NULL)),
                CHECK ((expiry_wall IS NULL) = (expiry_delay IS NULL)),
                CHECK ((expiry_boot IS NULL) = (expiry_delay IS NULL)),
                CHECK ((expiry_uptime IS NULL) = (expiry_delay IS NULL))
            ) STRICT;
            CREATE INDEX transfers_by_kind ON transfers (kind, id);
            CREATE INDEX transfers_by_end ON transfers (finished_at, id) WHERE finished_at IS NOT NULL;

            -- The transfer as JSON.
            CREATE TABLE records (
                id INTEGER PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
                record BLOB NOT NULL
            ) STRICT;
            """
    )
}
