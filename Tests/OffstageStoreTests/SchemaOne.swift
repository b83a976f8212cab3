// SPDX-License-Identifier: Apache-2.0

/// A store as the first schema wrote it. Never change it: stores like it are on people's disks.
enum SchemaOne {
    static let text = """
        PRAGMA journal_mode = WAL;
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES ('highest_id', '7'), ('store_token', '0badcafe');
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
        CREATE TABLE records (
            id INTEGER PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
            record BLOB NOT NULL
        ) STRICT;
        INSERT INTO transfers VALUES (7, 'command', 'example.org:443', 'https://example.org/x', '/tmp/x', 0.5, 'queued',
            NULL, NULL, 821692800.25, 'boot-1', 1000.125, 604800.0);
        INSERT INTO records VALUES (7, CAST('\(record)' AS BLOB));
        PRAGMA user_version = 1;
        """

    private static let record = #"""
        {"attempts":0,"bytesDone":0,"bytesTotal":3,"createdAt":[821692800.25,1000.125,"boot-1"],\#
        "expiry":{"delay":604800,"setAt":[821692800.25,1000.125,"boot-1"]},\#
        "fruitlessAttempts":0,"furthestByte":0,"hasBeenAnswered":false,"history":[],"id":7,"retries":0,\#
        "spec":{"direction":{"upload":{"_0":{"identity":[1,2,3,4],\#
        "isSnapshot":false,"path":"/tmp/x"}}},"headers":["A: b"],"idleTimeout":60,"method":"PUT",\#
        "overallTimeout":604800,"owner":"command","priority":0.5,"proxy":{},\#
        "statusPolicy":{"everyResponseIsFinal":{}},"unauthorizedPolicy":{"finish":{}},"url":"https://example.org/x"},\#
        "state":{"queued":{"since":821692800.25}}}
        """#
}
