// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// The number of transfers of each kind, which saves counting them.
    ///
    /// Maintained by triggers: they see every change of the table, by any program, in the same transaction.
    static let tallies = Migration(
        version: 7,
        sql: """
            CREATE TABLE tallies (
                -- A kind, or 'untold': tasks of sessions that have ended and whose app has not been told.
                name TEXT PRIMARY KEY NOT NULL,
                number INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            \(recount);
            \(tallyTriggers.map { $0.sql + ";" }.joined(separator: "\n"))
            """
    )

    /// Recounts, by reading two indexes once; only needed here.
    static let recount = """
        INSERT OR REPLACE INTO tallies (name, number)
            SELECT column1, (SELECT COUNT(*) FROM transfers WHERE kind = column1)
            FROM (VALUES ('queued'), ('waiting'), ('running'), ('paused'), ('finished'))
            UNION ALL SELECT 'untold', (SELECT COUNT(*) FROM transfers WHERE event_pending = 1)
        """

    /// The exact text of a store's triggers.
    static let tallyTriggers: [(name: String, sql: String)] = [
        (
            "tally_insert",
            """
            CREATE TRIGGER tally_insert AFTER INSERT ON transfers BEGIN
                UPDATE tallies SET number = number + 1 WHERE name = NEW.kind;
                UPDATE tallies SET number = number + 1 WHERE NEW.event_pending = 1 AND name = 'untold';
            END
            """
        ),
        (
            "tally_delete",
            """
            CREATE TRIGGER tally_delete AFTER DELETE ON transfers BEGIN
                UPDATE tallies SET number = number - 1 WHERE name = OLD.kind;
                UPDATE tallies SET number = number - 1 WHERE OLD.event_pending = 1 AND name = 'untold';
            END
            """
        ),
        (
            "tally_kind",
            """
            CREATE TRIGGER tally_kind AFTER UPDATE OF kind ON transfers WHEN OLD.kind <> NEW.kind BEGIN
                UPDATE tallies SET number = number - 1 WHERE name = OLD.kind;
                UPDATE tallies SET number = number + 1 WHERE name = NEW.kind;
            END
            """
        ),
        (
            "tally_event",
            """
            CREATE TRIGGER tally_event AFTER UPDATE OF event_pending ON transfers
                WHEN OLD.event_pending <> NEW.event_pending BEGIN
                UPDATE tallies SET number = number + NEW.event_pending - OLD.event_pending WHERE name = 'untold';
            END
            """
        ),
    ]
}
