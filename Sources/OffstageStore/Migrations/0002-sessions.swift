// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Background sessions: transfers that are tasks, events that their apps have not received yet, and hand-over
    /// journals.
    ///
    /// The specification has its own column: it is kept as its client wrote it, and is not rewritten whenever a
    /// transfer changes.
    static let sessions = Migration(
        version: 2,
        sql: """
            CREATE TABLE sessions (
                id INTEGER PRIMARY KEY,
                owner TEXT NOT NULL,
                identifier TEXT NOT NULL,
                -- The highest number of a task there ever was: numbers of deleted tasks are not used again.
                highest_task INTEGER NOT NULL,
                UNIQUE (owner, identifier)
            ) STRICT;

            -- Hand-over journals that have not been deleted, and the last record of each that is in the store.
            CREATE TABLE journals (
                name TEXT PRIMARY KEY,
                owner TEXT NOT NULL,
                sequence INTEGER NOT NULL CHECK (sequence >= 0)
            ) STRICT, WITHOUT ROWID;

            ALTER TABLE transfers ADD COLUMN session INTEGER REFERENCES sessions (id);
            ALTER TABLE transfers ADD COLUMN task INTEGER CHECK ((task IS NULL) = (session IS NULL));
            ALTER TABLE transfers ADD COLUMN connections_per_host INTEGER;
            -- Whether the task has ended and its app has not been told.
            ALTER TABLE transfers ADD COLUMN event_pending INTEGER NOT NULL DEFAULT 0
                CHECK (event_pending = 0 OR (event_pending = 1 AND kind = 'finished' AND session IS NOT NULL));
            -- Whether the app has had the downloaded file.
            ALTER TABLE transfers ADD COLUMN file_taken INTEGER NOT NULL DEFAULT 0
                CHECK (file_taken = 0 OR (file_taken = 1 AND kind = 'finished' AND session IS NOT NULL));

            CREATE UNIQUE INDEX transfers_by_task ON transfers (session, task) WHERE session IS NOT NULL;
            -- The tasks that have not ended: few of many, once a long session draws to its end.
            CREATE INDEX transfers_outstanding ON transfers (session, task)
                WHERE session IS NOT NULL AND kind <> 'finished';
            CREATE INDEX transfers_by_event ON transfers (session, finished_at, id) WHERE event_pending = 1;
            -- What may be pruned: not what an app has to be told.
            DROP INDEX transfers_by_end;
            CREATE INDEX transfers_by_end ON transfers (finished_at, id)
                WHERE finished_at IS NOT NULL AND event_pending = 0;

            -- The specification as JSON. A record that is no JSON stays what it was, and of no use.
            ALTER TABLE records ADD COLUMN spec BLOB NOT NULL DEFAULT X'';
            UPDATE records SET
                spec = CAST(json_extract(CAST(record AS TEXT), '$.spec') AS BLOB),
                record = CAST(json_remove(CAST(record AS TEXT), '$.spec') AS BLOB)
            WHERE json_valid(CAST(record AS TEXT)) AND json_type(CAST(record AS TEXT), '$.spec') = 'object';
            """
    )
}
