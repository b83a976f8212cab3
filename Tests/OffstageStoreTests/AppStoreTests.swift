// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct AppStoreTests {
    let fixture: StoreFixture
    let store: SQLiteStore
    let app = StoreFixture.app
    let session = SessionName(app: StoreFixture.app, identifier: StoreFixture.session)

    init() throws {
        fixture = try StoreFixture()
        store = try SQLiteStore.open(path: fixture.path).store
    }

    @Test func `an app is stored whole, and what is known of it last counts`() async throws {
        #expect(try await store.apps().isEmpty)
        var registration = StoreFixture.registration(app)
        try await store.commit([.putApp(registration), .putApp(StoreFixture.registration("org.example.another"))])
        registration.isQuit = true
        registration.launchToken = "token"
        registration.backoff = LaunchBackoff()
        registration.process = .init(
            identity: ProcessIdentity(number: 77, startedAt: .max),
            bootID: "boot-1",
            isChild: true
        )
        registration.information.name = "Größe"
        try await store.commit([.putApp(registration)])
        #expect(try await store.apps() == [StoreFixture.registration("org.example.another"), registration])
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try await again.apps().last == registration)
    }

    @Test func `an app is forgotten with its story, and with no other's`() async throws {
        try await store.commit([
            .putApp(StoreFixture.registration(app)), .putApp(StoreFixture.registration("other")),
            .appEntry(app: app, StoreFixture.entry(1)), .appEntry(app: "other", StoreFixture.entry(2)),
        ])
        try await store.commit([.deleteApp(app), .deleteApp("nobody")])
        #expect(try await store.apps().map(\.id) == ["other"])
        #expect(try await store.appEntries(of: app, after: nil, limit: 10).isEmpty)
        #expect(try await store.appEntries(of: "other", after: nil, limit: 10).map(\.entry) == [StoreFixture.entry(2)])
    }

    @Test func `a story is read from its end, or on from an entry`() async throws {
        try await store.commit((1...9).map { .appEntry(app: $0 % 3 == 0 ? "other" : app, StoreFixture.entry($0)) })
        let last = try await store.appEntries(of: app, after: nil, limit: 3)
        #expect(last.map(\.entry) == [5, 7, 8].map { StoreFixture.entry($0) })
        #expect(last.map(\.number) == [5, 7, 8])
        #expect(try await store.appEntries(of: app, after: 2, limit: 2).map(\.number) == [4, 5])
        #expect(try await store.appEntries(of: app, after: 8, limit: 2).isEmpty)
        #expect(try await store.appEntries(of: app, after: nil, limit: 0).isEmpty)
        #expect(try await store.appEntries(of: app, after: 0, limit: -1).isEmpty)
        // An entry's number is not reused.
        try await store.commit([.deleteApp(app), .deleteApp("other"), .appEntry(app: app, StoreFixture.entry(10))])
        #expect(try await store.appEntries(of: app, after: nil, limit: 9).map(\.number) == [10])
    }

    @Test func `a long story loses its beginning, and another's is left alone`() async throws {
        try await store.commit([.appEntry(app: "other", StoreFixture.entry(0))])
        for start in stride(from: 1, through: 2600, by: 100) {
            try await store.commit((start..<start + 100).map { .appEntry(app: app, StoreFixture.entry($0)) })
        }
        let entries = try await store.appEntries(of: app, after: nil, limit: 10_000).map(\.entry)
        #expect((2000...2200).contains(entries.count))
        #expect(entries.last == StoreFixture.entry(2600))
        #expect(try await store.appEntries(of: "other", after: nil, limit: 10).count == 1)
    }

    @Test func `a story is shortened although each daemon writes little of it`() async throws {
        try await store.commit((1...2150).map { .appEntry(app: app, StoreFixture.entry($0)) })
        let before = try await store.appEntries(of: app, after: nil, limit: 10_000).count
        #expect(before > 2001)
        store.close()
        let next = try SQLiteStore.open(path: fixture.path).store
        defer { next.close() }
        try await next.commit([.appEntry(app: app, StoreFixture.entry(2151))])
        #expect(try await next.appEntries(of: app, after: nil, limit: 10_000).count == 2000)
    }

    @Test func `a page of long entries is as long as a frame takes, and the next goes on from there`() async throws {
        let text = String(repeating: "x", count: 300_000)
        try await store.commit(
            (1...9).map { _ in .appEntry(app: app, AppEntry(at: StoreFixture.now, .launchFailed(text))) }
        )
        #expect(try await store.appEntries(of: app, after: nil, limit: 100).map(\.number) == [6, 7, 8, 9])
        #expect(try await store.appEntries(of: app, after: 0, limit: 100).map(\.number) == [1, 2, 3, 4])
        #expect(try await store.appEntries(of: app, after: 8, limit: 100).map(\.number) == [9])
    }

    @Test func `rows that are no use are left out`() async throws {
        try await store.commit([.putApp(StoreFixture.registration(app)), .appEntry(app: app, StoreFixture.entry(1))])
        try fixture.sql("INSERT INTO apps VALUES ('a', X'00FF')")
        try fixture.sql("INSERT INTO app_entries (app, entry) VALUES ('\(app)', CAST('{}' AS BLOB))")
        #expect(try await store.apps().map(\.id) == [app])
        #expect(try await store.appEntries(of: app, after: nil, limit: 10).count == 1)
    }

    private func needed() async throws -> [SessionName] { try await store.sessionsThatNeedTheirApp() }

    @Test func `a session needs its app once its last task has ended, until the app has heard of all`() async throws {
        let tasks = try (1...3).map { try fixture.task($0) }
        try await store.commit(tasks.map { .insert($0) })
        for task in tasks {
            #expect(try await needed().isEmpty)
            try await store.commit([.update(fixture.ended(task))])
        }
        #expect(try await needed() == [session])
        try await store.commit(tasks.dropFirst().map { .acknowledge($0.id, owner: app) })
        #expect(try await needed() == [session])
        try await store.commit([.acknowledge(tasks[0].id, owner: app)])
        #expect(try await needed().isEmpty)
    }

    @Test func `an app that was told of just these is not needed, until another task ends`() async throws {
        let tasks = try (1...2).map { try fixture.task($0) }
        try await store.commit([.insert(fixture.ended(tasks[0]))])
        #expect(try await needed() == [session])
        try await store.commit([.sessionAnnounced(session)])
        #expect(try await needed().isEmpty)
        // Neither the app's acknowledgment nor a new task is news.
        try await store.commit([.fileTaken(tasks[0].id, owner: app), .insert(tasks[1])])
        #expect(try fixture.sql("SELECT announced FROM sessions") == ["1"])
        try await store.commit([.update(fixture.ended(tasks[1]))])
        #expect(try await needed() == [session])
        try await store.commit([
            .sessionAnnounced(SessionName(app: app, identifier: "another")),
            .sessionAnnounced(SessionName(app: "another", identifier: session.identifier)),
        ])
        #expect(try await needed() == [session])
    }

    @Test func `a session whose tasks send no launch events needs nobody`() async throws {
        var silent = try (1...2).map { try fixture.task($0) }
        for index in silent.indices { silent[index].spec.sendsLaunchEvents = false }
        try await store.commit(silent.map { .insert(fixture.ended($0)) })
        #expect(try await needed().isEmpty)
        try await store.commit([.insert(fixture.ended(try fixture.task(3)))])
        #expect(try await needed() == [session])
        // An unreadable end is reported rather than dropped.
        try fixture.sql("DELETE FROM transfers WHERE id = 3; UPDATE records SET spec = X'00FF' WHERE id = 2")
        #expect(try await needed() == [session])
    }

    @Test func `only sessions that need their apps are named, in order`() async throws {
        try await store.commit([
            .insert(fixture.ended(try fixture.task(1, session: "b"))),
            .insert(fixture.ended(try fixture.task(2, session: "a"))),
            .insert(try fixture.task(3, session: "waits")),
            .insert(fixture.ended(try fixture.task(4, session: "z", owner: "another"))),
            .insert(fixture.ended(try fixture.transfer(5))),
        ])
        #expect(try await needed().map { "\($0.app) \($0.identifier)" } == ["another z", "\(app) a", "\(app) b"])
        store.close()
        await #expect(throws: StoreError.self) { try await needed() }
    }
}
