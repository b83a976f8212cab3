// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageStore
import Testing

@Suite struct StoreOpeningTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    @Test func `a store from a newer version is refused and left alone`() throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        try fixture.sql("PRAGMA user_version = 99")
        #expect(throws: StoreError.fromTheFuture(path: fixture.path, version: 99, known: Migration.all.count)) {
            try SQLiteStore.open(path: fixture.path)
        }
        #expect(try fixture.sql("PRAGMA user_version") == ["99"])
        #expect(try fixture.names().filter { $0.contains("damaged") }.isEmpty)
    }

    @Test(arguments: ["BEGIN IMMEDIATE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"])
    func `a store that another program has locked is refused after a while`(lock: String) throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        var other: OutsideConnection? = try OutsideConnection(fixture.path)
        try other?.run(lock)
        #expect(throws: StoreError.locked(path: fixture.path)) { try SQLiteStore.open(path: fixture.path) }
        other = nil
        try SQLiteStore.open(path: fixture.path).store.close()
    }

    @Test func `a start reads over the connection of everybody else's reads, one after the other`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit(try (1...40).map { .insert(try fixture.transfer($0)) })
        let pages = Task {
            var rows = 0
            for _ in 1...200 { rows += try await store.page(TransferQuery(limit: 40)).transfers.count }
            return rows
        }
        var unfinished = 0
        for _ in 1...200 { try store.forEachUnfinished { _ in unfinished += 1 } }
        store.endStart()
        #expect(try await pages.value == 200 * 40)
        #expect(unfinished == 200 * 40)
        #expect(try await store.page(TransferQuery(limit: 1)).counts == [.queued: 40])
    }

    @Test func `a commit that meets a lock fails and the next one succeeds`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        let other = try OutsideConnection(fixture.path)
        try other.run("BEGIN IMMEDIATE")
        await #expect(throws: StoreError.locked(path: fixture.path)) {
            try await store.commit([.insert(try fixture.transfer(1))])
        }
        try other.run("ROLLBACK")
        try await store.commit([.insert(try fixture.transfer(1))])
        #expect(try store.unfinished().count == 1)
    }

    @Test func `a store in a folder that cannot be made is refused with the reason`() throws {
        try fixture.sql("SELECT 1", path: fixture.folder + "/plain")
        Glibc.close(open(fixture.folder + "/plain", O_WRONLY | O_CREAT, 0o600))
        let path = fixture.folder + "/plain/store.sqlite"
        #expect {
            try SQLiteStore.open(path: path)
        } throws: { error in
            guard case .cannotOpen(path, let detail)? = error as? StoreError else { return false }
            return detail.contains("Not a directory")
        }
    }

    @Test func `a folder or file that may only be read is refused as read-only`() throws {
        let user = try #require(FileSystemUser(), "needs setfsuid, which this C library does not have")
        try SQLiteStore.open(path: fixture.path).store.close()
        chmod(fixture.folder, 0o755)
        chmod(fixture.path, 0o644)
        func opening(_ path: String) -> StoreError? {
            user.asNobody {
                do throws(StoreError) {
                    try SQLiteStore.open(path: path).store.close()
                    return nil
                } catch {
                    return error
                }
            }
        }
        #expect(opening(fixture.path) == .readOnly(path: fixture.path))
        #expect(opening(fixture.folder + "/new.sqlite") == .readOnly(path: fixture.folder + "/new.sqlite"))
        chmod(fixture.path, 0o600)
        guard case .cannotOpen? = opening(fixture.path) else {
            Issue.record("an unreadable file was not refused as such")
            return
        }
    }
}

/// Gives the calling thread an unprivileged user's access to files.
private struct FileSystemUser {
    private let set: @convention(c) (UInt32) -> Int32

    init?() {
        guard getuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return nil }
        set = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
    }

    func asNobody<Value>(_ body: () -> Value) -> Value {
        _ = set(65534)
        defer { _ = set(0) }
        return body()
    }
}
