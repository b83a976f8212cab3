// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageStore
import Testing

@Suite struct StoreDamageTests {
    let fixture: StoreFixture
    let count = 400

    init() throws { fixture = try StoreFixture() }

    /// Fills a store with transfers 1 to `count`, and closes it; returns its token.
    private func fill() async throws -> String {
        let opened = try SQLiteStore.open(path: fixture.path)
        try await opened.store.commit(try (1...Int64(count)).map { .insert(try fixture.transfer($0)) })
        opened.store.close()
        return opened.storeToken
    }

    private func damaged() throws -> [String] {
        try fixture.names().filter { $0.contains(".damaged-") }
    }

    @Test func `a file with damage in the middle is set aside, and most of its transfers go on`() async throws {
        let token = try await fill()
        try fixture.overwrite(at: fixture.size() / 4096 / 2 * 4096, count: 3 * 4096)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        #expect(opened.notices.first?.contains("could be read and continue") == true)
        #expect(opened.notices == opened.store.notices)
        #expect(opened.nextID.rawValue == Int64(count + 1))
        #expect(opened.storeToken == token)
        let saved = try opened.store.unfinished()
        #expect(saved.count >= count - 60 && saved.count <= count)
        #expect(try await opened.store.transfers(saved.map(\.id)).count == saved.count)
        #expect(try damaged().count >= 1)
        #expect(fixture.mode(fixture.path) == 0o600)
    }

    /// Destroys pages throughout the file in turn: whatever a page held, the daemon starts and reports the damage.
    @Test func `damage to whatever page is survived`() async throws {
        _ = try await fill()
        let whole = try #require(FileManager.default.contents(atPath: fixture.path))
        var saved: [Int] = []
        for page in stride(from: 0, to: whole.count / 4096, by: 7) {
            for name in try fixture.names() { unlink(fixture.folder + "/" + name) }
            try whole.write(to: URL(filePath: fixture.path))
            try fixture.overwrite(at: page * 4096, count: 4096, with: 0xFF)
            let opened = try SQLiteStore.open(path: fixture.path)
            let found = try opened.store.unfinished().count
            saved.append(found)
            if found < count { #expect(!opened.notices.isEmpty) }
            try await opened.store.commit([.insert(try fixture.transfer(opened.nextID.rawValue))])
            opened.store.close()
        }
        // The first page holds the schema: without it nothing can be read. Any other page costs only its own rows.
        #expect(saved.dropFirst().filter { $0 < count - 50 }.count <= 2)
    }

    @Test func `a file that was cut short is set aside, and its beginning goes on`() async throws {
        _ = try await fill()
        #expect(truncate(fixture.path, off_t(fixture.size() / 2)) == 0)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        // A page holds some forty of the rows that a start streams, and the half has at least one such page.
        #expect(try opened.store.unfinished().count > 30)
        #expect(opened.nextID.rawValue > Int64(count))
    }

    @Test(arguments: [1, 100, 5000])
    func `a file of garbage is set aside and the store begins empty`(length: Int) async throws {
        try Data(repeating: 0x7B, count: length).write(to: URL(filePath: fixture.path))
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.first?.contains("no transfer could be read from it") == true)
        #expect(opened.nextID.rawValue >= 1)
        try await opened.store.commit([.insert(try fixture.transfer(opened.nextID.rawValue))])
        #expect(try damaged().count == 1)
    }

    @Test func `a second damaged file does not replace the first`() throws {
        for _ in 0..<3 {
            for name in try fixture.names() where !name.contains(".damaged-") { unlink(fixture.folder + "/" + name) }
            try Data(repeating: 0x7B, count: 9000).write(to: URL(filePath: fixture.path))
            try SQLiteStore.open(path: fixture.path).store.close()
        }
        #expect(try damaged().count == 3)
    }

    @Test func `a salvage that was interrupted is finished or done again`() async throws {
        _ = try await fill()
        // Killed before the damaged file was moved: the salvaged file is created again.
        try Data("old".utf8).write(to: URL(filePath: fixture.path + ".salvage"))
        try Data("old".utf8).write(to: URL(filePath: fixture.path + ".salvaged"))
        let first = try SQLiteStore.open(path: fixture.path)
        #expect(try first.store.unfinished().count == count)
        first.store.close()
        #expect(try fixture.names() == ["store.sqlite"])
        // Killed after the move: only the name was missing, and the old log does not belong to the new file.
        #expect(rename(fixture.path, fixture.path + ".salvaged") == 0)
        try Data("old".utf8).write(to: URL(filePath: fixture.path + "-wal"))
        let second = try SQLiteStore.open(path: fixture.path)
        #expect(try second.store.unfinished().count == count)
        second.store.close()
    }

    @Test func `damage that is met while the store is in use is said, and repaired at the next start`() async throws {
        let first = try SQLiteStore.open(path: fixture.path)
        try await first.store.commit(try (1...Int64(count)).map { .insert(try fixture.transfer($0)) })
        try fixture.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        try fixture.overwrite(at: 4096 * 8, count: fixture.size() - 4096 * 9)
        await #expect(throws: StoreError.self) {
            try await first.store.transfers((1...Int64(count)).map(TransferID.init(rawValue:)))
        }
        #expect(first.store.notices.count == 1)
        #expect(try fixture.names().contains("store.sqlite.check"))
        first.store.close()
        let second = try SQLiteStore.open(path: fixture.path)
        defer { second.store.close() }
        #expect(second.notices.count == 1)
        #expect(try !fixture.names().contains("store.sqlite.check"))
    }

    /// A salvage carries over what it can read: it must not begin while the machine prevents reading.
    @Test func `what cannot be read just now is not given up as damaged`() async throws {
        _ = try await fill()
        #expect(truncate(fixture.path, 300) == 0)
        #expect(mkdir(fixture.path + "-journal", 0o700) == 0)
        #expect(throws: StoreError.self) { try SQLiteStore.open(path: fixture.path).store.close() }
        #expect(try damaged().isEmpty)
        #expect(fixture.size() == 300)
        #expect(rmdir(fixture.path + "-journal") == 0)
        let opened = try SQLiteStore.open(path: fixture.path)
        opened.store.close()
        #expect(opened.notices.count == 1)
    }
}
