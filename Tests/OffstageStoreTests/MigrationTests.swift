// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct MigrationTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// A record of schema 1, read without the store's help.
    private struct Whole: Decodable {
        var id: Int64
        var spec: TransferSpec
        var createdAt: Moment
        var state: TransferState
        var expiry: Deadline?
        var attempts: Int
        var retries: Int
        var fruitlessAttempts: Int
        var furthestByte: Int64
        var hasBeenAnswered: Bool
        var partial: PartialDownload?
        var partialFile: FileIdentity?
        var bytesDone: Int64
        var bytesTotal: Int64?
        var lastFailure: TransferFailure?
        var history: [AttemptRecord]

        func transfer() -> Transfer {
            var transfer = Transfer(id: TransferID(rawValue: id), spec: spec, now: createdAt)
            transfer.state = state
            transfer.expiry = expiry
            transfer.past.count = attempts
            transfer.past.retries = retries
            transfer.past.fruitless = fruitlessAttempts
            transfer.past.furthestByte = furthestByte
            transfer.past.hasBeenAnswered = hasBeenAnswered
            transfer.partial = partial
            transfer.partialFile = partialFile
            transfer.bytesDone = bytesDone
            transfer.bytesTotal = bytesTotal
            transfer.past.lastFailure = lastFailure
            transfer.past.history = history
            return transfer
        }
    }

    private func expected() throws -> [Transfer] {
        try SchemaOne.records.map { try JSONDecoder().decode(Whole.self, from: Data($0.utf8)).transfer() }
    }

    private func expectMigrated(_ opened: SQLiteStore.Opened) async throws {
        #expect(opened.nextID.rawValue == 8)
        #expect(opened.storeToken == "0badcafe")
        let transfers = try await opened.store.transfers((1...7).map(TransferID.init(rawValue:)))
        #expect(transfers.count == 7)
        #expect(Array(transfers.prefix(6)) == (try expected()))
    }

    @Test func `a store of schema 1 becomes one of today`() async throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.isEmpty)
        try await expectMigrated(opened)
        let unfinished = try opened.store.unfinished()
        #expect(unfinished.map(\.id.rawValue) == [2, 3, 4, 6, 7])
        #expect(unfinished.map(\.kind) == [.waiting, .waiting, .paused, .running, .queued])
        #expect(unfinished.allSatisfy { $0.session == nil && $0.connectionsPerHost == nil })
        // Transfers that ended in the old store were no app's tasks: they are pruned as before.
        #expect(try fixture.sql("SELECT DISTINCT event_pending, file_taken, task FROM transfers") == ["0|0|NULL"])
        let pruned = try await opened.store.prune(finishedBefore: .distantFuture, keeping: 0)
        #expect(pruned.map(\.id.rawValue).sorted() == [1, 5])
    }

    @Test func `specifications move to a column of their own, as they were written`() throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        let before = try fixture.sql("SELECT json_extract(CAST(record AS TEXT), '$.spec') FROM records ORDER BY id")
        try SQLiteStore.open(path: fixture.path).store.close()
        #expect(try fixture.sql("SELECT CAST(spec AS TEXT) FROM records ORDER BY id") == before)
        #expect(try fixture.sql("SELECT DISTINCT json_type(CAST(record AS TEXT), '$.spec') FROM records") == ["NULL"])
        #expect(before[0].contains(#"18446744073709551615"#) && before[0].contains(#"Größe \"1\".jpg"#))
        #expect(try fixture.sql("PRAGMA quick_check") == ["ok"])
        #expect(try fixture.sql("PRAGMA foreign_key_check").isEmpty)
    }

    @Test func `a record that is no JSON stays as it is, is shown as unreadable and stops nothing`() async throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        try fixture.sql("UPDATE records SET record = CAST('{\"spec\":' AS BLOB) WHERE id = 2")
        try fixture.sql("UPDATE records SET record = X'00FF' WHERE id = 3")
        try fixture.sql("UPDATE records SET record = CAST('{\"spec\":1}' AS BLOB) WHERE id = 4")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let found = try await store.transfers((1...7).map(TransferID.init(rawValue:)))
        #expect(found.map(\.id.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(found.filter { !$0.isUnreadable }.map(\.id.rawValue) == [1, 5, 6, 7])
        #expect(try fixture.sql("SELECT CAST(record AS TEXT) FROM records WHERE id = 4") == ["{\"spec\":1}"])
    }

    /// The second step runs to its end uncommitted, with a cache so small that its pages are in the log.
    @Test func `a migration that was cut off leaves schema 1 whole`() async throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        try fixture.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        let step = try #require(Migration.all.first { $0.version == 2 })
        let dying = try OutsideConnection(fixture.path)
        try dying.run("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
        try dying.run(step.sql)
        // Large enough that pages must go to the log before the commit.
        try dying.run("CREATE TABLE filler (a BLOB); INSERT INTO filler VALUES (zeroblob(1000000))")
        try dying.run("PRAGMA user_version = 2")
        #expect(fixture.size("-wal") > 100_000)
        let copy = try fixture.crashed()
        defer { withExtendedLifetime(copy) {} }
        try dying.run("ROLLBACK")
        #expect(try copy.sql("PRAGMA user_version") == ["1"])
        #expect(try copy.sql("SELECT CAST(record AS TEXT) FROM records WHERE id < 7") == SchemaOne.records)
        let opened = try SQLiteStore.open(path: copy.path)
        defer { opened.store.close() }
        try await expectMigrated(opened)
    }

    @Test func `a migration that fails half-way leaves schema 1 whole`() async throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        // The step creates an index of this name after its tables and columns.
        try fixture.sql("CREATE INDEX transfers_by_event ON transfers (id)")
        guard case .failed? = #expect(throws: StoreError.self, performing: { try SQLiteStore.open(path: fixture.path) })
        else {
            Issue.record("not the error that was expected")
            return
        }
        #expect(try fixture.sql("PRAGMA user_version") == ["1"])
        #expect(try fixture.sql("SELECT name FROM sqlite_schema WHERE name IN ('sessions', 'journals')").isEmpty)
        #expect(try fixture.sql("SELECT CAST(record AS TEXT) FROM records WHERE id < 7") == SchemaOne.records)
        try fixture.sql("DROP INDEX transfers_by_event")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        try await expectMigrated(opened)
    }

    @Test func `a store of schema 2 keeps its sessions and journals, and gets room for apps`() async throws {
        let app = StoreFixture.app
        try fixture.sql("PRAGMA journal_mode = WAL")
        for step in Migration.all.prefix(2) {
            try fixture.sql("BEGIN; \(step.sql) PRAGMA user_version = \(step.version); COMMIT")
        }
        let task = "VALUES (1, '\(app)', 'h:80', 'http://h/', '/x', 0.5, 'finished', 'cancelled', 1, 7, 3, 1)"
        try fixture.sql(
            """
            INSERT INTO sessions VALUES (7, '\(app)', 's', 12);
            INSERT INTO journals VALUES ('j', '\(app)', 5);
            INSERT INTO transfers (id, owner, host_key, url, path, priority, kind, result, finished_at, session, task,
                event_pending) \(task);
            """
        )
        var ended = fixture.ended(try fixture.task(1, number: 3, session: "s"))
        ended.spec.connectionsPerHost = nil
        let record = String(decoding: try JSONEncoder().encode(TransferRecord(ended)), as: UTF8.self)
        let spec = String(decoding: try ended.spec.json(), as: UTF8.self)
        try fixture.sql("INSERT INTO records VALUES (1, CAST('\(record)' AS BLOB), CAST('\(spec)' AS BLOB))")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try fixture.sql("PRAGMA user_version") == ["\(Migration.all.count)"])
        #expect(try await store.session("s", of: app) == SessionStanding(highestTask: 12, pendingEnds: 1))
        #expect(try await store.transfers([ended.id]) == [ended])
        #expect(try await store.journals().map(\.sequence) == [5])
        let session = SessionName(app: app, identifier: "s")
        #expect(try await store.sessionsThatNeedTheirApp() == [session])
        try await store.commit([.putApp(StoreFixture.registration(app)), .sessionAnnounced(session)])
        #expect(try await store.sessionsThatNeedTheirApp().isEmpty)
        #expect(try await store.apps().map(\.id) == [app])
    }

    @Test func `a store of schema 3 keeps its apps and stories, and gets room for deferred work`() async throws {
        try fixture.sql("PRAGMA journal_mode = WAL")
        for step in Migration.all.prefix(3) {
            try fixture.sql("BEGIN; \(step.sql) PRAGMA user_version = \(step.version); COMMIT")
        }
        let registration = StoreFixture.registration(StoreFixture.app)
        let app = String(decoding: try JSONEncoder().encode(registration), as: UTF8.self)
        let entry = String(decoding: try JSONEncoder().encode(StoreFixture.entry(4)), as: UTF8.self)
        try fixture.sql(
            """
            INSERT INTO apps VALUES ('\(registration.id)', CAST('\(app)' AS BLOB));
            INSERT INTO app_entries VALUES (17, '\(registration.id)', CAST('\(entry)' AS BLOB));
            """
        )
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try fixture.sql("PRAGMA user_version") == ["\(Migration.all.count)"])
        #expect(try await store.apps() == [registration])
        let story = try await store.appEntries(of: registration.id, after: nil, limit: 9)
        #expect(story == [StoredAppEntry(number: 17, entry: StoreFixture.entry(4))])
        #expect(try store.taskRecords().isEmpty)
        #expect(try store.nextTaskNumber() == 1)
        try await store.commit(tasks: [.insert(StoreFixture.request(1))])
        #expect(try store.taskRecords() == [TaskRecord(request: StoreFixture.request(1))])
    }

    @Test func `a store of schema 7 keeps what it has, and its checks`() async throws {
        try fixture.sql("PRAGMA journal_mode = WAL")
        for step in Migration.all.prefix(7) {
            try fixture.sql("BEGIN; \(step.sql); PRAGMA user_version = \(step.version); COMMIT")
        }
        func insert(_ id: Int, _ kind: String, _ result: String) -> String {
            let end = result == "NULL" ? "NULL" : "1"
            return """
                INSERT INTO transfers (id, owner, host_key, url, path, priority, kind, result, finished_at)
                    VALUES (\(id), 'command', 'h:80', 'http://h/', '/x', 0.5, '\(kind)', \(result), \(end))
                """
        }
        func tables(_ sql: String) throws -> [String] {
            try fixture.sql("EXPLAIN " + sql).filter { $0.contains("OpenEphemeral") }
        }
        let task = """
            INSERT INTO tasks (app, identifier, kind, network, power, title, subtitle, submitted_wall, submitted_uptime,
                submitted_boot, phase) VALUES ('a', 'i', 'refresh', 0, 0, '', '', 1, 1, 'b', 0)
            """
        try fixture.sql(insert(1, "queued", "NULL"))
        #expect(try tables(insert(2, "queued", "NULL")).count == 2)
        let store = try SQLiteStore.open(path: fixture.path).store
        #expect(try await store.transfers([TransferID(rawValue: 1)]).isEmpty, "it has no record")
        store.close()
        #expect(try fixture.sql("SELECT id, kind FROM transfers") == ["1|queued"])
        #expect(try tables(insert(2, "queued", "NULL")).isEmpty)
        #expect(try tables(task).isEmpty)
        for kind in ["queued", "waiting", "running", "paused"] {
            try fixture.sql("BEGIN; \(insert(2, kind, "NULL")); ROLLBACK")
        }
        for result in ["completed", "failed", "cancelled"] {
            try fixture.sql("BEGIN; \(insert(2, "finished", "'\(result)'")); ROLLBACK")
        }
        #expect(throws: (any Error).self) { try fixture.sql(insert(2, "lost", "NULL")) }
        #expect(throws: (any Error).self) { try fixture.sql(insert(3, "finished", "'lost'")) }
        #expect(throws: (any Error).self) { try fixture.sql(task.replacing("'refresh'", with: "'lost'")) }
        #expect(throws: (any Error).self) { try fixture.sql(task.replacing("'b', 0)", with: "'b', 3)")) }
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a store of schema 8 keeps its transfers, and gets room for the timeline`() async throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        try fixture.sql(
            "DROP INDEX spans_by_end; DROP TABLE spans; DROP TABLE submission_keys; PRAGMA user_version = 8"
        )
        let transfer = try fixture.transfer(3)
        let record = String(decoding: try JSONEncoder().encode(TransferRecord(transfer)), as: UTF8.self)
        let spec = String(decoding: try transfer.spec.json(), as: UTF8.self)
        try fixture.sql(
            """
            INSERT INTO transfers (id, owner, host_key, url, path, priority, kind)
                VALUES (3, 'command', 'h:80', 'http://h/', '/x', 0.5, 'queued');
            INSERT INTO records VALUES (3, CAST('\(record)' AS BLOB), CAST('\(spec)' AS BLOB));
            """
        )
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try fixture.sql("PRAGMA user_version") == ["\(Migration.all.count)"])
        #expect(try await store.transfers([transfer.id]) == [transfer])
        let span = TimelineSpan(began: StoreFixture.now.wall, ended: StoreFixture.now.wall, .network(.none))
        store.chronicle.record(span)
        let query = TimelineQuery(from: StoreFixture.now.wall - 1, until: StoreFixture.now.wall + 1)
        #expect(try await store.timeline(query).rows.map(\.span) == [span])
    }

    @Test func `a first migration that fails leaves the file as it was`() throws {
        try fixture.sql("CREATE TABLE transfers (something TEXT)")
        guard case .failed? = #expect(throws: StoreError.self, performing: { try SQLiteStore.open(path: fixture.path) })
        else {
            Issue.record("not the error that was expected")
            return
        }
        #expect(try fixture.sql("PRAGMA user_version") == ["0"])
        #expect(try fixture.sql("SELECT name FROM sqlite_schema") == ["transfers"])
    }

    @Test func `a damaged store of schema 1 is salvaged into one of today`() async throws {
        try fixture.sql(SchemaOne.text)
        try fixture.sql(SchemaOne.filling)
        try fixture.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        // An index page: quick_check finds the damage; records stay readable.
        let page = try #require(
            Int(try fixture.sql("SELECT rootpage FROM sqlite_schema WHERE name = 'transfers_by_kind'")[0])
        )
        try fixture.overwrite(at: (page - 1) * 4096, count: 4096)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        try await expectMigrated(opened)
    }
}
