// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Requests for deferred work, in columns: a start reads a hundred thousand, for which JSON would be slow. Also the
    /// outcomes of former requests.
    static let deferredWork = Migration(
        version: 4,
        sql: """
            CREATE TABLE tasks (
                -- Numbers of deleted requests are not used again.
                number INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number > 0),
                app TEXT NOT NULL,
                identifier TEXT NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('refresh', 'processing', 'healthResearch', 'continued')),
                earliest REAL,
                network INTEGER NOT NULL CHECK (network IN (0, 1)),
                power INTEGER NOT NULL CHECK (power IN (0, 1)),
                title TEXT NOT NULL,
                subtitle TEXT NOT NULL,
                submitted_wall REAL NOT NULL,
                submitted_uptime REAL NOT NULL,
                submitted_boot TEXT NOT NULL,
                -- 0 pending, 1 starting, 2 running; since when, but for what is pending.
                phase INTEGER NOT NULL DEFAULT 0 CHECK (phase IN (0, 1, 2)),
                since_wall REAL,
                since_uptime REAL,
                since_boot TEXT,
                attempts INTEGER NOT NULL DEFAULT 0,
                -- What the app's process made up for it, to know it again when it is sent once more.
                nonce INTEGER,
                CHECK ((phase = 0) = (since_wall IS NULL)),
                CHECK ((phase = 0) = (since_uptime IS NULL)),
                CHECK ((phase = 0) = (since_boot IS NULL))
            ) STRICT;
            -- One that runs does not stand in the way of the next of its identifier.
            CREATE UNIQUE INDEX tasks_pending ON tasks (app, identifier) WHERE phase = 0;
            CREATE INDEX tasks_begun ON tasks (app, number) WHERE phase <> 0;

            -- What each app has used of its time, in seconds, and what a run takes; as of the moment behind them.
            CREATE TABLE task_budgets (
                app TEXT PRIMARY KEY NOT NULL,
                used REAL NOT NULL CHECK (used >= 0),
                typical REAL,
                wall REAL NOT NULL,
                uptime REAL NOT NULL,
                boot TEXT NOT NULL
            ) STRICT;

            CREATE TABLE task_entries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                app TEXT NOT NULL,
                identifier TEXT NOT NULL,
                -- `TaskEntry` as JSON.
                entry BLOB NOT NULL
            ) STRICT;
            CREATE INDEX task_entries_by_identifier ON task_entries (app, identifier, id);
            CREATE INDEX task_entries_by_app ON task_entries (app, id);
            """
    )
}
