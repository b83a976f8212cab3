// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// The record of the timeline in the store: written with other commits, bounded, and read by time.
@Suite struct TimelineStoreTests {
    private let fixture: StoreFixture
    private let start = StoreFixture.now.wall

    init() throws { fixture = try StoreFixture() }

    private func attempt(
        _ number: Int64,
        from began: Double,
        to ended: Double,
        owner: String = "command",
        host: String = "files.example.org:443"
    ) -> TimelineSpan {
        let attempt = TimelineAttempt(
            transfer: TransferID(rawValue: number),
            number: 1,
            owner: owner,
            host: host,
            isUpload: true,
            bytes: 3,
            outcome: .broken,
            failure: .connectionLost
        )
        return TimelineSpan(began: start + began, ended: start + ended, .attempt(attempt))
    }

    private func all(_ store: SQLiteStore, app: String? = nil, host: String? = nil) async throws -> [TimelineSpan] {
        let query = TimelineQuery(from: start - 100, until: start + 1e6, app: app, host: host)
        return try await store.timeline(query).rows.compactMap(\.span)
    }

    @Test func `spans are written with the next commit, and not before`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let span = attempt(1, from: 0, to: 5)
        store.chronicle.record(span)
        #expect(try fixture.sql("SELECT COUNT(*) FROM spans") == ["0"])
        try await store.commit([.insert(try fixture.transfer(1))])
        #expect(try fixture.sql("SELECT kind, transfer FROM spans") == ["attempt|1"])
        #expect(try await all(store) == [span])
    }

    @Test func `who looks sees what no commit has taken along, and so does the next daemon`() async throws {
        var store = try SQLiteStore.open(path: fixture.path).store
        store.chronicle.record(attempt(1, from: 0, to: 5))
        #expect(try await all(store).count == 1)
        store.chronicle.begin { [start] in start }
        store.chronicle.finish()
        store.chronicle.record(attempt(2, from: 0, to: 6))
        store.close()
        store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try await all(store).count == 3)
        store.chronicle.record(attempt(3, from: 0, to: 7))
        #expect(try await all(store).count == 4, "numbers are not used again")
    }

    @Test func `who looks sees what the commit under way has taken along`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 0.3).store
        defer { store.close() }
        store.chronicle.record(attempt(1, from: 0, to: 5))
        let transfer = try fixture.transfer(1)
        async let commit: Void = store.commit([.insert(transfer)])
        while store.chronicle.hasWaiting { await Task.yield() }
        #expect(try await all(store).count == 1)
        try await commit
    }

    @Test func `how far a state has come takes the place of how far it had come`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let time = Clock(start)
        store.chronicle.begin { time.now }
        try await store.commit([.insert(try fixture.transfer(1))])
        time.now = start + 100
        try await store.commit([.insert(try fixture.transfer(2))])
        #expect(try await all(store) == [TimelineSpan(began: start, ended: start + 100, .daemon)])
    }

    /// Unchecked since it is set only between two commits, while no thread reads it.
    private final class Clock: @unchecked Sendable {
        var now: Date
        init(_ now: Date) { self.now = now }
    }

    @Test func `pages follow each other without gap or repetition, with the files of what is on record`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(4))])
        // Some of them end at the same time.
        for number in 0..<25 { store.chronicle.record(attempt(Int64(number), from: 0, to: Double(number / 3))) }
        var query = TimelineQuery(from: start - 1, until: start + 100, limit: 4)
        var seen: [TransferID?] = []
        var paths: [TransferID: String] = [:]
        repeat {
            let page = try await store.timeline(query)
            #expect(page.rows.count <= 4)
            seen += page.rows.map(\.transfer)
            paths.merge(page.paths) { $1 }
            query.after = page.next
        } while query.after != nil
        #expect(seen == (0..<25).map { TransferID(rawValue: Int64($0)) })
        #expect(paths == [TransferID(rawValue: 4): "/home/someone/Größe 4.bin"])
    }

    @Test func `only what lasted within the time is read`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        for (number, times) in [(0.0, 5.0), (4, 15), (12, 13), (0, 30), (25, 26)].enumerated() {
            store.chronicle.record(attempt(Int64(number), from: times.0, to: times.1))
        }
        let page = try await store.timeline(TimelineQuery(from: start + 10, until: start + 20))
        #expect(page.rows.map(\.transfer?.rawValue) == [2, 1, 3])
    }

    @Test func `one app's and one host's are read with those of the machine`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        store.chronicle.record(attempt(1, from: 0, to: 1))
        store.chronicle.record(attempt(2, from: 0, to: 2, owner: "org.example.app", host: "h:80"))
        store.chronicle.record(TimelineSpan(began: start, ended: start + 3, .app("org.example.app", .active)))
        store.chronicle.record(TimelineSpan(began: start, ended: start + 4, .network(.none)))
        func ends(app: String? = nil, host: String? = nil) async throws -> [Double] {
            try await all(store, app: app, host: host).map { $0.ended.timeIntervalSince(start) }
        }
        #expect(try await ends(app: "org.example.app") == [2, 3, 4])
        #expect(try await ends(host: "h") == [2, 4])
        #expect(try await ends(host: "h:80") == [2, 4])
        #expect(try await ends(host: "h:8") == [4])
        #expect(try await ends(app: "command", host: "files.example.org") == [1, 4])
    }

    @Test func `a forgotten transfer leaves its times behind, and no name`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        store.chronicle.record(attempt(1, from: 0, to: 5))
        try await store.commit([.insert(try fixture.finished(1))])
        #expect(try await store.timeline(TimelineQuery(from: start, until: start + 9)).paths.count == 1)
        try await store.commit([.delete(TransferID(rawValue: 1))])
        let page = try await store.timeline(TimelineQuery(from: start, until: start + 9))
        #expect(page.rows.count == 1)
        #expect(page.paths.isEmpty)
    }

    @Test func `the oldest spans are deleted, so that there are never more than so many`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Chronicle.kept))
            INSERT INTO spans SELECT n, n, n, 'daemon', NULL, NULL, 'running', NULL, NULL, NULL, NULL, NULL FROM numbers
            """
        )
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        for number in 0..<700 { again.chronicle.record(attempt(Int64(number), from: 0, to: 1)) }
        try await again.commit([.insert(try fixture.transfer(1))])
        let count = try #require(Int64(try fixture.sql("SELECT COUNT(*) FROM spans")[0]))
        #expect(count <= Chronicle.kept + 512)
        #expect(count >= Chronicle.kept)
    }

    @Test func `an index gives the rows from a time on, however many transfers are on record`() throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        let text = (1...6).reduce(TimelineSQL.spans) { $0.replacing("?\($1)", with: $1 == 4 || $1 == 5 ? "NULL" : "1") }
        let plan = try fixture.sql("EXPLAIN QUERY PLAN " + text)
        #expect(plan.count == 2, "\(plan)")
        #expect(plan[0].contains("SEARCH spans USING INDEX spans_by_end"), "\(plan)")
        #expect(plan[1].contains("SEARCH transfers USING INTEGER PRIMARY KEY"), "\(plan)")
    }

    @Test func `a record that cannot be written keeps nothing else from being written`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("DROP INDEX spans_by_end")
        try fixture.sql("ALTER TABLE spans RENAME TO others")
        try fixture.sql(
            "CREATE TABLE spans (number INTEGER PRIMARY KEY CHECK (number < 0), began, ended, kind, owner, place, word, detail, transfer, attempt, bytes, upload)"
        )
        store.chronicle.record(attempt(1, from: 0, to: 5))
        try await store.commit([.insert(try fixture.transfer(1))])
        try await store.commit([.insert(try fixture.transfer(2))])
        #expect(try fixture.sql("SELECT COUNT(*) FROM transfers") == ["2"])
    }

    @Test func `a table that is damaged keeps nothing else from being written`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("DROP TABLE spans")
        store.chronicle.record(attempt(1, from: 0, to: 5))
        try await store.commit([.insert(try fixture.transfer(1))])
        try await store.commit([.insert(try fixture.transfer(2))])
        #expect(try fixture.sql("SELECT COUNT(*) FROM transfers") == ["2"])
    }

    @Test func `a number that cannot be is deleted at the start, and numbers go on`() async throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        try fixture.sql(
            "INSERT INTO spans (number, began, ended, kind, word) VALUES (\(Int64.max), 1, 2, 'daemon', 'running')"
        )
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        for number in 1...3 { store.chronicle.record(attempt(Int64(number), from: 0, to: 5)) }
        try await store.commit([.insert(try fixture.transfer(1))])
        #expect(try fixture.sql("SELECT COUNT(*), MAX(number) FROM spans") == ["3|3"])
    }

    @Test func `what a commit could not take along goes with the next one`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        store.chronicle.record(attempt(1, from: 0, to: 5))
        // A rejected record: the same number twice.
        try await store.commit([.insert(try fixture.transfer(1))])
        store.chronicle.record(attempt(2, from: 0, to: 6))
        await #expect(throws: StoreError.self) { try await store.commit([.insert(try fixture.transfer(1))]) }
        try await store.commit([.insert(try fixture.transfer(2))])
        #expect(try fixture.sql("SELECT transfer FROM spans ORDER BY number") == ["1", "2"])
    }

    @Test func `a state that has lasted for long is as young as its end`() async throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        let late = (start + 1000).timeIntervalSinceReferenceDate
        try fixture.sql(
            "INSERT INTO spans (number, began, ended, kind, word) VALUES (1, 1, \(late), 'daemon', 'running')"
        )
        try fixture.sql(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Chronicle.kept + 100))
            INSERT INTO spans SELECT n, n, n, 'daemon', NULL, NULL, 'running', NULL, NULL, NULL, NULL, NULL FROM numbers
            """
        )
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        store.chronicle.record(attempt(1, from: 0, to: 1))
        try await store.commit([.insert(try fixture.transfer(1))])
        #expect(try fixture.sql("SELECT number FROM spans WHERE number < 50") == ["1"])
    }
}
