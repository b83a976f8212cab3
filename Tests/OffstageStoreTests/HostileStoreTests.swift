// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageStore
import Testing

/// Stores that no Offstage has written: each opens, and its valid rows remain in use.
@Suite struct HostileStoreTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func makeStore(_ count: Int64 = 3) async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        for id in 1...count { try await store.commit([.insert(try fixture.transfer(id))]) }
        store.close()
    }

    /// Opens the store and hands over one more transfer, under the store's next number.
    @discardableResult
    private func use() async throws -> SQLiteStore.Opened {
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try opened.store.unfinished().contains { $0.id.rawValue == 1 })
        let next = opened.nextID.rawValue
        #expect((2...TransferID.greatest).contains(next))
        try await opened.store.commit([.insert(try fixture.transfer(next))])
        let page = try await opened.store.page(TransferQuery())
        #expect(page.transfers.contains { $0.id.rawValue == next })
        try await opened.store.commit([.delete(TransferID(rawValue: next))])
        return opened
    }

    @Test(arguments: [Int64.max, Int64.max - 1, TransferID.greatest, TransferID.greatest + 1, Int64(1) << 62])
    func `a transfer with the greatest number there can be takes nobody's`(id: Int64) async throws {
        try await makeStore()
        try fixture.sql("UPDATE transfers SET id = \(id) WHERE id = 3")
        try fixture.sql("PRAGMA foreign_keys = OFF; UPDATE records SET id = \(id) WHERE id = 3")
        let opened = try await use()
        #expect(opened.nextID.rawValue < 1000)
        try fixture.sql("UPDATE meta SET value = '\(id)' WHERE key = 'highest_id'")
        try await use()
    }

    @Test(arguments: ["-1", "9223372036854775808", "1e300", "", "3 and more"])
    func `a note of the highest number that makes no sense is no reason not to start`(text: String) async throws {
        try await makeStore()
        try fixture.sql("UPDATE meta SET value = '\(text)' WHERE key = 'highest_id'")
        #expect(try await use().nextID.rawValue >= 4)
    }

    @Test func `a name for partial files that leads elsewhere is not taken`() async throws {
        try await makeStore()
        try fixture.sql("UPDATE meta SET value = '/../../x' WHERE key = 'store_token'")
        let token = try await use().storeToken
        #expect(token.utf8.count == 8 && !token.contains("/"))
    }

    @Test(arguments: [
        "CREATE TRIGGER evil AFTER INSERT ON transfers BEGIN DELETE FROM transfers; END",
        "CREATE VIEW evil AS WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
    ])
    func `what a foreign schema does by itself is not carried out`(sql: String) async throws {
        try await makeStore()
        try fixture.sql(sql)
        let opened = try await use()
        #expect(opened.store.notices.contains { $0.contains("damaged") })
        #expect(try fixture.sql("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'evil'") == ["0"])
        #expect(try fixture.sql("SELECT COUNT(*) FROM transfers WHERE id <= 3") == ["3"])
    }

    @Test func `numbers that are used up are given anew`() async throws {
        try await makeStore()
        try fixture.sql("INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('tasks', \(Int64.max))")
        try fixture.sql("INSERT INTO app_entries (number, app, entry) VALUES (\(Int64.max), 'a', x'00')")
        try fixture.sql("INSERT INTO task_entries (id, app, identifier, entry) VALUES (\(Int64.max), 'a', 'b', x'00')")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try store.nextTaskNumber() < 1000)
        try await store.commit([.appEntry(app: "a", StoreFixture.entry(1))])
        #expect(try await store.appEntries(of: "a", after: nil, limit: 10).count == 1)
    }

    @Test(arguments: [Int64(-1), Int64.max, Int64.min])
    func `a session's numbers stay such that an app can count on`(number: Int64) async throws {
        let opened = try SQLiteStore.open(path: fixture.path)
        try await opened.store.commit([.insert(try fixture.task(1))])
        opened.store.close()
        try fixture.sql("UPDATE sessions SET highest_task = \(number)")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let standing = try await store.session(StoreFixture.session, of: StoreFixture.app)
        #expect((0...Int(TransferID.greatest)).contains(standing.highestTask))
    }

    @Test func `times without end are cut, and a date can be told`() async throws {
        try await makeStore()
        try fixture.sql(
            "UPDATE transfers SET expiry_wall = 9e999, expiry_uptime = -9e999, expiry_delay = 9e999, expiry_boot = 'b'"
        )
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let summaries = try opened.store.unfinished()
        #expect(summaries.count == 3)
        #expect(summaries.allSatisfy { $0.expiry?.setAt.wall.timeIntervalSince1970.isFinite == true })
    }

    @Test func `a text that is too long to be ours is gone round`() async throws {
        try await makeStore(5)
        try fixture.sql("UPDATE transfers SET host_key = CAST(zeroblob(80000000) AS TEXT) WHERE id = 2")
        try fixture.sql("UPDATE records SET record = zeroblob(80000000) WHERE id = 4")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try opened.store.unfinished().map(\.id.rawValue) == [1, 3, 4, 5])
        #expect(opened.store.notices.contains { $0.contains("left out") })
        let page = try await opened.store.page(TransferQuery())
        #expect(page.transfers.first { $0.id.rawValue == 4 }?.isUnreadable == true)
    }

    @Test func `a record that makes no sense stands in lists with what is known of it`() async throws {
        try await makeStore()
        try fixture.sql("UPDATE records SET record = x'00' WHERE id = 2")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let found = try await store.transfers([TransferID(rawValue: 2)])
        #expect(found.first?.isUnreadable == true)
        #expect(found.first?.spec.url.host == "files.example.org")
        #expect(found.first?.spec.path.hasSuffix("2.bin") == true)
    }

    @Test func `a record that must not be read is not read`() async throws {
        try await makeStore()
        let store = try SQLiteStore.open(
            path: fixture.path,
            crashesReading: { $0 == .transfer(TransferID(rawValue: 2)) ? 3 : nil }
        ).store
        defer { store.close() }
        let found = try await store.transfers([1, 2].map(TransferID.init(rawValue:)))
        #expect(found.map(\.isUnreadable) == [false, true])
    }

    @Test func `a record that must not be read is not read by the repair of a damaged store either`() async throws {
        try await makeStore()
        let app = StoreFixture.app
        let first = try SQLiteStore.open(path: fixture.path).store
        try await first.commit([.putApp(StoreFixture.registration(app)), .putApp(StoreFixture.registration("other"))])
        first.close()
        try fixture.sql("PRAGMA user_version = -7")
        let opened = try SQLiteStore.open(
            path: fixture.path,
            crashesReading: { [.transfer(TransferID(rawValue: 2)), .app(app)].contains($0) ? 3 : nil }
        )
        #expect(try opened.store.unfinished().map(\.id.rawValue) == [1, 3])
        #expect(opened.notices.first?.contains("2 transfers could be read and continue, 1 could not") == true)
        #expect(opened.notices.first?.contains("not all apps could be read") == true)
        opened.store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try await again.apps().map(\.id) == ["other"])
    }

    @Test func `of a transfer that contradicts another, the repair of a damaged store leaves nothing`() async throws {
        let first = try SQLiteStore.open(path: fixture.path).store
        for id: Int64 in 1...3 {
            var transfer = try fixture.transfer(id)
            transfer.spec.submissionKey = "key-\(id)"
            try await first.commit([.insert(transfer)])
        }
        first.close()
        try fixture.sql("UPDATE records SET spec = (SELECT spec FROM records WHERE id = 1) WHERE id = 2")
        try fixture.sql("PRAGMA user_version = -7")
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(store.notices.first?.contains("2 transfers could be read and continue, 1 could not") == true)
        #expect(try fixture.sql("SELECT id FROM transfers ORDER BY id") == ["1", "3"])
        #expect(try fixture.sql("SELECT id FROM records ORDER BY id") == ["1", "3"])
        #expect(try fixture.sql("SELECT transfer FROM submission_keys ORDER BY transfer") == ["1", "3"])
    }

    @Test func `a version below zero is damage, and what is there is carried over`() async throws {
        try await makeStore()
        try fixture.sql("PRAGMA user_version = -7")
        try await use()
    }

    @Test func `something else in the store's place is named`() throws {
        let pipe = fixture.folder + "/pipe.sqlite"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: StoreError.notAFile(path: pipe)) { try SQLiteStore.open(path: pipe) }
        #expect(throws: StoreError.notAFile(path: fixture.folder)) { try SQLiteStore.open(path: fixture.folder) }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `a log that belongs to another user is named and left alone`() throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        for companion in ["-wal", "-shm"] {
            let path = fixture.path + companion
            Glibc.close(open(path, O_WRONLY | O_CREAT, 0o600))
            try #require(chown(path, 65534, 65534) == 0)
            #expect(throws: StoreError.notOurs(path: path)) { try SQLiteStore.open(path: fixture.path) }
            unlink(path)
        }
    }
}
