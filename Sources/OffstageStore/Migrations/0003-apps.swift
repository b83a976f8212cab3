// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Apps with their stories, and the sessions whose apps have been notified that the last task has ended.
    static let apps = Migration(
        version: 3,
        sql: """
            CREATE TABLE apps (
                id TEXT PRIMARY KEY,
                -- `AppRegistration` as JSON.
                registration BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE app_entries (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                app TEXT NOT NULL,
                -- `AppEntry` as JSON.
                entry BLOB NOT NULL
            ) STRICT;
            CREATE INDEX app_entries_by_app ON app_entries (app, number);

            ALTER TABLE sessions ADD COLUMN announced INTEGER NOT NULL DEFAULT 0;
            -- What ends after that is news again.
            CREATE TRIGGER session_has_news AFTER UPDATE OF event_pending ON transfers
                WHEN NEW.event_pending = 1 AND OLD.event_pending = 0
                BEGIN UPDATE sessions SET announced = 0 WHERE id = NEW.session AND announced = 1; END;
            """
    )
}
