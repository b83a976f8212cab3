// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// The counts of each kind are maintained, and always equal an actual count.
@Suite struct TallyTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func expectRight(_ path: String? = nil, _ location: SourceLocation = #_sourceLocation) throws {
        let kept = try fixture.sql("SELECT name, number FROM tallies WHERE number <> 0 ORDER BY name", path: path)
        let counted = try fixture.sql(
            """
            SELECT * FROM (SELECT kind AS name, COUNT(*) AS number FROM transfers GROUP BY kind
            UNION ALL SELECT 'untold', COUNT(*) FROM transfers WHERE event_pending = 1) WHERE number <> 0 ORDER BY name
            """,
            path: path
        )
        #expect(kept == counted, sourceLocation: location)
    }

    @Test func `a page's counts are read, not counted`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("UPDATE tallies SET number = 1000000 WHERE name = 'queued'")
        #expect(try await store.page(TransferQuery()).counts == [.queued: 1_000_000])
    }

    @Test func `every change is counted, and a crash leaves a count that is right`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([
            .insert(try fixture.transfer(1)), .insert(try fixture.transfer(2)), .insert(try fixture.task(3)),
            .insert(try fixture.task(4)), .insert(try fixture.finished(5)),
        ])
        try expectRight()
        #expect(try await store.page(TransferQuery(limit: 0)).counts == [.queued: 4, .finished: 1])
        var paused = try fixture.transfer(1)
        _ = paused.pause(reached: 0, now: StoreFixture.now)
        try await store.commit([.update(paused)])
        try await store.commit([.update(fixture.ended(try fixture.task(3))), .update(paused)])
        try expectRight()
        #expect(try await store.page(TransferQuery()).counts == [.queued: 2, .paused: 1, .finished: 2])
        // Ends that an app has not been notified of are kept.
        #expect(try await store.prune(finishedBefore: .distantPast, keeping: 0).map(\.id.rawValue) == [5])
        let app = StoreFixture.app
        try await store.commit([.acknowledge(TransferID(rawValue: 3), owner: app), .delete(TransferID(rawValue: 2))])
        try expectRight()
        let crashed = try fixture.crashed()
        try expectRight(crashed.path)
        let again = try SQLiteStore.open(path: crashed.path).store
        defer { again.close() }
        #expect(try await again.page(TransferQuery()).counts == [.queued: 1, .paused: 1, .finished: 1])
        #expect(try await again.prune(finishedBefore: .distantPast, keeping: 0).map(\.id.rawValue) == [3])
    }

    @Test func `a commit that fails counts nothing`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(1))])
        await #expect(throws: StoreError.self) {
            try await store.commit([.insert(try fixture.transfer(2)), .insert(try fixture.transfer(1))])
        }
        try expectRight()
        #expect(try await store.page(TransferQuery()).counts == [.queued: 1])
    }

    @Test func `a store of schema 6 is counted once`() async throws {
        try fixture.sql("PRAGMA journal_mode = WAL")
        for step in Migration.all.prefix(6) {
            try fixture.sql("BEGIN; \(step.sql); PRAGMA user_version = \(step.version); COMMIT")
        }
        for (id, kind) in [(1, "queued"), (2, "queued"), (3, "running")] {
            try fixture.sql(
                "INSERT INTO transfers (id, owner, host_key, url, path, priority, kind) VALUES (\(id), 'a', 'h:80', 'http://h/', '/x', 0.5, '\(kind)')"
            )
        }
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try expectRight()
        #expect(try await store.page(TransferQuery(limit: 0)).counts == [.queued: 2, .running: 1])
    }

    @Test(arguments: [
        "UPDATE tallies SET number = -5", "UPDATE tallies SET number = 9223372036854775807", "DELETE FROM tallies",
        "UPDATE tallies SET number = number + 1 WHERE name = 'untold'", "DELETE FROM tallies WHERE name = 'finished'",
        "DELETE FROM tallies WHERE name = 'waiting'",
    ])
    func `counts that are not true are made anew`(sql: String) async throws {
        let first = try SQLiteStore.open(path: fixture.path).store
        try await first.commit([.insert(try fixture.transfer(1)), .insert(try fixture.finished(2))])
        first.close()
        try fixture.sql(sql)
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try expectRight()
        #expect(try await store.page(TransferQuery()).counts == [.queued: 1, .finished: 1])
        #expect(store.notices.isEmpty)
    }

    @Test func `a trigger that only has the name of one of ours is not carried out`() async throws {
        let first = try SQLiteStore.open(path: fixture.path).store
        try await first.commit([.insert(try fixture.transfer(1)), .insert(try fixture.transfer(2))])
        first.close()
        try fixture.sql(
            """
            DROP TRIGGER tally_insert;
            CREATE TRIGGER tally_insert AFTER INSERT ON transfers BEGIN DELETE FROM transfers; END;
            """
        )
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.contains { $0.contains("damaged") })
        try await opened.store.commit([.insert(try fixture.transfer(3))])
        #expect(try await opened.store.page(TransferQuery()).counts == [.queued: 3])
        try expectRight()
    }
}
