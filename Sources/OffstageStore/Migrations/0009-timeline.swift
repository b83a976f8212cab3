// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Spans for the timeline: attempts, states of apps, runs of deferred work, network and power. In columns, because
    /// there are thousands per day, and without file names.
    ///
    /// The names of kinds and words are not checked: a later build may have more, and an older one skips unknown names.
    static let timeline = Migration(
        version: 9,
        sql: """
            CREATE TABLE spans (
                -- Counts up as spans begin; the oldest numbers are deleted.
                number INTEGER PRIMARY KEY CHECK (number > 0),
                began REAL NOT NULL,
                ended REAL NOT NULL CHECK (ended >= began),
                kind TEXT NOT NULL,
                owner TEXT,
                place TEXT,
                word TEXT NOT NULL,
                detail TEXT,
                transfer INTEGER,
                attempt INTEGER,
                bytes INTEGER,
                upload INTEGER
            ) STRICT;
            CREATE INDEX spans_by_end ON spans (ended, number);
            """
    )
}
