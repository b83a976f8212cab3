// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct AccountStoreTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func account(_ name: String, sealed: [UInt8]? = [1, 0, 255]) -> StoredAccount {
        let account = Account(
            name: name,
            appKey: "key",
            accountID: "dbid:\(name)",
            email: "größe@example.org",
            addedAt: StoreFixture.now.wall
        )
        return StoredAccount(account, sealedGrant: sealed)
    }

    @Test func `an account is stored whole, and what is known of it last counts`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        #expect(try await store.accounts().isEmpty)
        var work = account("work")
        try await store.commit(accounts: [.put(work), .put(account("home", sealed: nil))])
        work.account.state = .needsSignIn(.revoked, since: StoreFixture.now.wall)
        work.sealedGrant = nil
        try await store.commit(accounts: [.put(work)])
        let expected = [account("home", sealed: nil), work]
        #expect(try await store.accounts() == expected)
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try await again.accounts() == expected)
    }

    @Test func `an account is forgotten, and no other`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit(accounts: [.put(account("a")), .put(account("b"))])
        try await store.commit(accounts: [.delete("a"), .delete("nobody")])
        #expect(try await store.accounts() == [account("b")])
        try await store.commit(accounts: [])
    }

    @Test func `nothing and no bytes are told apart`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit(accounts: [.put(account("a", sealed: [])), .put(account("b", sealed: nil))])
        #expect(try await store.accounts().map(\.sealedGrant) == [[], nil])
    }

    @Test func `rows that are no use are left out`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit(accounts: [.put(account("a")), .put(account("b")), .put(account("c"))])
        try fixture.sql("UPDATE accounts SET account = X'00FF' WHERE name = 'a'")
        // One account's tokens under another's name.
        try fixture.sql("UPDATE accounts SET name = 'z' WHERE name = 'b'")
        #expect(try await store.accounts() == [account("c")])
    }

    @Test func `a store that is closed says so`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        store.close()
        await #expect(throws: StoreError.self) { try await store.accounts() }
        await #expect(throws: StoreError.self) { try await store.commit(accounts: [.delete("a")]) }
    }

    @Test func `a store of schema 4 gets room for accounts`() async throws {
        try fixture.sql("PRAGMA journal_mode = WAL")
        for step in Migration.all.prefix(4) {
            try fixture.sql("BEGIN; \(step.sql) PRAGMA user_version = \(step.version); COMMIT")
        }
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        #expect(try fixture.sql("PRAGMA user_version") == ["\(Migration.all.count)"])
        try await store.commit(accounts: [.put(account("a"))])
        #expect(try await store.accounts() == [account("a")])
    }

    private func destroy(_ name: String) throws {
        let found = try fixture.sql("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        let page = try #require(found.first.flatMap { Int($0) })
        try fixture.overwrite(at: (page - 1) * 4096, count: 4096)
    }

    @Test(arguments: ["transfers_by_kind", "task_entries", "accounts"])
    func `damage elsewhere costs no account, and damage to accounts nothing else`(name: String) async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        try await store.commit([.insert(try fixture.transfer(1))])
        try await store.commit(accounts: [.put(account("a")), .put(account("b", sealed: nil))])
        store.close()
        try destroy(name)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        #expect(try opened.store.unfinished().count == 1)
        let expected = name == "accounts" ? [] : [account("a"), account("b", sealed: nil)]
        #expect(try await opened.store.accounts() == expected)
    }
}
