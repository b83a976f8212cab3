// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct SessionDamageTests {
    let fixture: StoreFixture
    let app = StoreFixture.app
    let session = StoreFixture.session

    init() throws { fixture = try StoreFixture() }

    /// Tasks 1 to 3 wait, 4 to 6 have ended: 4 is an event, 5 had its file taken, 6 is acknowledged.
    private func fill() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        try await store.commit(
            [.insertJournal(name: "j", owner: app), .insertJournal(name: "k", owner: "org.example.other")]
                + (try (1...3).map { .insert(try fixture.task($0), encodedSpec: try spaced($0)) })
                + (try (4...6).map { .insert(fixture.ended(try fixture.task($0), at: Double($0))) })
                + [.insert(fixture.ended(try fixture.task(7, number: 90)))]
        )
        try await store.commit([
            .fileTaken(TransferID(rawValue: 5), owner: app), .acknowledge(TransferID(rawValue: 6), owner: app),
            .acknowledge(TransferID(rawValue: 7), owner: app), .advanceJournal(name: "j", sequence: 17),
            .delete(TransferID(rawValue: 7)),
        ])
        store.close()
    }

    private func spaced(_ id: Int64) throws -> [UInt8] { [0x20] + (try fixture.task(id).spec.json()) }

    /// Destroys the first page of a table or index.
    private func destroy(_ name: String) throws {
        let found = try fixture.sql("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        let page = try #require(found.first.flatMap { Int($0) })
        try fixture.overwrite(at: (page - 1) * 4096, count: 4096)
    }

    private func ends(_ store: SQLiteStore) async throws -> [String] {
        try await store.pendingEnds(session, of: app, after: nil, limit: 10)
            .map { "\($0.transfer.id)\($0.isFileTaken ? " taken" : "")" }
    }

    @Test func `a salvaged store knows sessions, journals and what apps have still to be told`() async throws {
        try await fill()
        try destroy("transfers_by_task")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let store = opened.store
        #expect(opened.notices.count == 1)
        #expect(try await ends(store) == ["4", "5 taken"])
        let standing = try await store.session(session, of: app)
        #expect(standing == SessionStanding(highestTask: 90, outstanding: 3, pendingEnds: 2))
        #expect(
            try await store.journals() == [
                StoredJournal(name: "j", owner: app, sequence: 17),
                StoredJournal(name: "k", owner: "org.example.other", sequence: 0),
            ]
        )
        let tasks = try await store.sessionTasks(session, of: app, after: 0, limit: 10)
        #expect(tasks.map { Array($0.spec.utf8) } == (try (1...3).map(spaced)))
    }

    @Test func `where it is not known whether an app was told of an end, it is told again`() async throws {
        try await fill()
        try destroy("transfers")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try await ends(opened.store) == ["4", "5", "6"])
        #expect(try await opened.store.journals().count == 2)
    }

    /// As `fill`, with two apps and their notifications.
    private func fillApps() async throws {
        try await fill()
        let store = try SQLiteStore.open(path: fixture.path).store
        try await store.commit([
            .putApp(StoreFixture.registration(app)), .putApp(StoreFixture.registration("other")),
            .insert(fixture.ended(try fixture.task(8, session: "told"))),
            .insert(fixture.ended(try fixture.task(9, session: "untold"))),
        ])
        try await store.commit(
            (1...20).map { .appEntry(app: $0.isMultiple(of: 2) ? app : "other", StoreFixture.entry($0)) }
        )
        try await store.commit([.sessionAnnounced(SessionName(app: app, identifier: "told"))])
        store.close()
    }

    @Test func `a salvaged store knows apps, their stories and what they were called for`() async throws {
        try await fillApps()
        try destroy("transfers_by_task")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let store = opened.store
        #expect(opened.notices.count == 1)
        #expect(try await store.apps() == [app, "other"].sorted().map { StoreFixture.registration($0) })
        let story = try await store.appEntries(of: app, after: nil, limit: 100).map(\.entry)
        #expect(story == (1...10).map { StoreFixture.entry(2 * $0) })
        #expect(try await store.appEntries(of: "other", after: nil, limit: 100).count == 10)
        #expect(try await store.sessionsThatNeedTheirApp().map(\.identifier) == ["untold"])
    }

    @Test(arguments: ["apps", "app_entries", "app_entries_by_app"])
    func `damage to the rows of apps costs no transfer, and no other rows`(name: String) async throws {
        try await fillApps()
        try destroy(name)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let store = opened.store
        #expect(try store.unfinished().count == 3)
        #expect(try await ends(store) == ["4", "5 taken"])
        #expect(try await store.apps().isEmpty == (name == "apps"))
        #expect(try await store.appEntries(of: app, after: nil, limit: 100).isEmpty == (name == "app_entries"))
        try await store.commit([
            .putApp(StoreFixture.registration("new")), .appEntry(app: "new", StoreFixture.entry(1)),
        ])
    }

    @Test(
        arguments: [
            ("sessions", "sessions"), ("journals", "journals"), ("apps", "apps"), ("app_entries", "stories of apps"),
            ("accounts", "accounts"), ("notifications", "notifications"),
        ]
    )
    func `the sentence about a salvage names what else could not be read`(table: String, words: String) async throws {
        try await fillApps()
        try destroy(table)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        #expect(opened.notices.first?.contains("; not all \(words) could be read. The damaged file") == true)
    }

    @Test func `a salvage that reads all of the rest says nothing of it`() async throws {
        try await fillApps()
        try destroy("transfers_by_task")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.first?.contains("not all") == false)
    }

    @Test(arguments: ["sessions", "sqlite_autoindex_sessions_1", "journals"])
    func `damage to the rows of sessions and journals costs no transfer`(name: String) async throws {
        try await fill()
        try destroy(name)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let store = opened.store
        #expect(try store.unfinished().map(\.session) == [session, session, session])
        #expect(try await ends(store) == ["4", "5 taken"])
        let standing = try await store.session(session, of: app)
        #expect(standing.highestTask == (name == "sessions" ? 6 : 90))
        #expect(try await store.journals().isEmpty == (name == "journals"))
    }
}
