// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct SQLiteStoreTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    @Test func `a new store is empty, private and counts from 1`() async throws {
        let opened = try SQLiteStore.open(path: fixture.folder + "/a/b/store.sqlite")
        #expect(opened.nextID.rawValue == 1)
        #expect(opened.notices.isEmpty)
        #expect(opened.storeToken.utf8.count == 8)
        #expect(opened.storeToken.allSatisfy { $0.isHexDigit })
        #expect(try opened.store.unfinished().isEmpty)
        let page = try await opened.store.page(TransferQuery())
        #expect(page == TransferPage(transfers: [], hasMore: false, counts: [:]))
        #expect(fixture.mode(fixture.folder + "/a/b/store.sqlite") == 0o600)
        #expect(fixture.mode(fixture.folder + "/a/b/store.sqlite-wal") == 0o600)
        #expect(fixture.mode(fixture.folder + "/a/b") == 0o700)
        #expect(fixture.mode(fixture.folder + "/a") == 0o700)
        opened.store.close()
    }

    @Test func `transfers come back as they were written, also after reopening`() async throws {
        let first = try SQLiteStore.open(path: fixture.path)
        var transfer = try fixture.transfer(1)
        transfer.partial = PartialDownload(validator: .strongETag("\"x\""), totalBytes: 10, bootID: "boot-1")
        transfer.past.lastFailure = TransferFailure(.connectionLost, "the connection broke")
        let answer = Answer(status: 200, headers: [HeaderField(name: "A", value: "b")], bodyStart: [0, 255, 10])
        let finished = try fixture.finished(2, .completed(answer))
        try await first.store.commit([.insert(transfer), .insert(finished)])
        #expect(try await first.store.transfers([transfer.id, finished.id]) == [transfer, finished])
        first.store.close()

        let second = try SQLiteStore.open(path: fixture.path)
        defer { second.store.close() }
        #expect(second.nextID.rawValue == 3)
        #expect(second.storeToken == first.storeToken)
        #expect(
            try await second.store.transfers([finished.id, TransferID(rawValue: 99), transfer.id]) == [
                finished, transfer,
            ]
        )
        #expect(
            try second.store.unfinished() == [
                TransferSummary(
                    id: transfer.id,
                    owner: "command",
                    hostKey: "files.example.org:443",
                    priority: 0.5,
                    kind: .queued,
                    expiry: transfer.expiry
                )
            ]
        )
    }

    @Test func `the queue hears which transfers have further addresses`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        var transfers = try (1...3).map { try fixture.transfer($0) }
        transfers[1].spec.mirrors = MirrorList([transfers[1].spec.url, try RequestURL("https://b.example.org/2")])
        transfers[2].spec.mirrors = MirrorList([transfers[2].spec.url])
        try await store.commit(transfers.map { .insert($0) })
        #expect(try store.unfinished().map(\.mustBeRead) == [false, true, false])
        transfers[1].spec.url = try RequestURL("https://b.example.org/2")
        try await store.commit([.updateWithSpec(transfers[1])])
        #expect(try store.unfinished().map(\.mustBeRead) == [false, true, false])
        #expect(try store.unfinished().allSatisfy { $0.connectionsPerHost == nil })
    }

    @Test func `the queue hears which transfers come after others, until they no longer do`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        var transfers = try (1...2).map { try fixture.transfer($0) }
        transfers[1].spec.predecessors = [transfers[0].id]
        try await store.commit(transfers.map { .insert($0) })
        #expect(try store.unfinished().map(\.mustBeRead) == [false, true])
        transfers[1].spec.predecessors = []
        try await store.commit([.updateWithSpec(transfers[1])])
        #expect(try store.unfinished().map(\.mustBeRead) == [false, false])
    }

    /// Several are handed over at once: the record of a new transfer holds the time, and nothing else.
    @Test func `what an upload continues with comes back beside others of the same moment`() async throws {
        var spec = try fixture.transfer(1).spec
        let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        spec.direction = .upload(.init(path: "/source", identity: identity))
        var kept = spec
        kept.keptUpload = Base64Bytes(bytes: Array("{}".utf8))
        let now = try fixture.transfer(1).createdAt
        let transfers = [spec, kept, spec, kept].enumerated().map { place, spec in
            Transfer(id: TransferID(rawValue: Int64(place + 1)), spec: spec, now: now)  // checked: a few
        }
        let first = try SQLiteStore.open(path: fixture.path)
        try await first.store.commit(transfers.map { .insert($0) })
        first.store.close()
        let second = try SQLiteStore.open(path: fixture.path)
        defer { second.store.close() }
        let found = try await second.store.transfers(transfers.map(\.id))
        #expect(found.map(\.dialectMemory) == transfers.map(\.dialectMemory))
        #expect(found == transfers)
    }

    @Test func `an update changes the record, the kind and the expiry`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        var transfer = try fixture.transfer(1)
        try await store.commit([.insert(transfer)])
        _ = transfer.started(now: StoreFixture.now, offset: 0)
        transfer.bytesDone = 7
        try await store.commit([.update(transfer)])
        #expect(try await store.transfers([transfer.id]) == [transfer])
        #expect(try store.unfinished().map(\.kind) == [.running])
        transfer.bytesDone = 8
        try await store.commit([.update(transfer)])
        #expect(try await store.transfers([transfer.id]).map(\.bytesDone) == [8])
        _ = transfer.pause(reached: 8, now: StoreFixture.now)
        try await store.commit([.update(transfer)])
        #expect(try store.unfinished().map(\.expiry) == [nil])
        _ = transfer.cancel(now: StoreFixture.now)
        try await store.commit([.update(transfer)])
        #expect(try store.unfinished().isEmpty)
        #expect(try await store.page(TransferQuery()).counts == [.finished: 1])
    }

    @Test func `an id is never used again, even after its transfer was deleted`() async throws {
        let first = try SQLiteStore.open(path: fixture.path).store
        try await first.commit([.insert(try fixture.transfer(1)), .insert(try fixture.transfer(41))])
        try await first.commit([.delete(TransferID(rawValue: 41)), .delete(TransferID(rawValue: 77))])
        first.close()
        let second = try SQLiteStore.open(path: fixture.path)
        defer { second.store.close() }
        #expect(second.nextID.rawValue == 42)
        #expect(try fixture.sql("SELECT id FROM records") == ["1"])
    }

    @Test func `changes of one commit are made all or none`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(1))])
        await #expect(throws: StoreError.self) {
            try await store.commit([.insert(try fixture.transfer(2)), .insert(try fixture.transfer(1))])
        }
        await #expect(throws: StoreError.self) {
            try await store.commit([.delete(TransferID(rawValue: 1)), .update(try fixture.transfer(5))])
        }
        #expect(try store.unfinished().map(\.id.rawValue) == [1])
        try await store.commit([])
    }

    @Test func `commits that arrive together share one transaction`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 0.5).store
        defer { store.close() }
        let transfers = try (1...60).map { try fixture.transfer($0) }
        let before = try fixture.commitsInLog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for transfer in transfers { group.addTask { try await store.commit([.insert(transfer)]) } }
            try await group.waitForAll()
        }
        // Two commits if the processor was free for all of them at once.
        #expect((1..<30).contains(try fixture.commitsInLog() - before))
        #expect(try store.unfinished().count == 60)
    }

    @Test func `a commit that fails does not fail those that share its transaction`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 0.1).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(1))])
        let transfers = try (1...10).map { try fixture.transfer($0) }
        let failures = await withTaskGroup(of: Int64?.self) { group in
            for transfer in transfers {
                group.addTask {
                    do {
                        try await store.commit([.insert(transfer)])
                        return nil
                    } catch {
                        return transfer.id.rawValue
                    }
                }
            }
            return await group.reduce(into: [Int64]()) { if let id = $1 { $0.append(id) } }
        }
        #expect(failures == [1])
        #expect(try store.unfinished().count == 10)
    }

    @Test func `reading does not wait for a commit, and sees what was committed before`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 1).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(1))])
        let second = try fixture.transfer(2)
        async let commit: Void = store.commit([.insert(second)])
        // If the read waited for the commit, it would see the committed transfer.
        #expect(try await store.transfers([TransferID(rawValue: 1), second.id]).count == 1)
        #expect(try await store.page(TransferQuery()).transfers.first?.id.rawValue == 1)
        try await commit
        #expect(try await store.transfers([TransferID(rawValue: 1), second.id]).count == 2)
        #expect(try await store.page(TransferQuery()).transfers.first?.id.rawValue == 2)
    }

    @Test func `a closed store refuses, and closing does what was handed in`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 0.1).store
        try await store.commit([.insert(try fixture.transfer(1))])
        store.close()
        store.close()
        await #expect(throws: StoreError.failed(path: fixture.path, detail: "it has been closed")) {
            try await store.commit([.insert(try fixture.transfer(2))])
        }
        await #expect(throws: StoreError.self) { try await store.page(TransferQuery()) }
        await #expect(throws: StoreError.self) { try await store.transfers([TransferID(rawValue: 1)]) }
        await #expect(throws: StoreError.self) { try await store.prune(finishedBefore: .distantPast, keeping: 1) }
        #expect(try fixture.names() == ["store.sqlite"])
        #expect(try fixture.sql("SELECT id FROM transfers") == ["1"])
    }

    @Test func `closing leaves nothing beside the file, however often`() async throws {
        for round in 1...300 {
            let store = try SQLiteStore.open(path: fixture.path).store
            try await store.commit([.insert(try fixture.transfer(Int64(round)))])
            store.close()
            let names = try fixture.names()
            #expect(names == ["store.sqlite"], "round \(round)")
            if names.count > 1 { break }
        }
    }

    @Test func `closing a large store does not wait for the look through it, and leaves nothing either`() async throws {
        try SQLiteStore.open(path: fixture.path).store.close()
        try fixture.sql(
            """
            CREATE TABLE filler (content BLOB);
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 40000)
            INSERT INTO filler SELECT randomblob(1000) FROM numbers;
            PRAGMA wal_checkpoint(TRUNCATE);
            """
        )
        #expect(fixture.size() > 32 << 20)
        for round in 1...10 {
            let store = try SQLiteStore.open(path: fixture.path).store
            try await store.commit([.insert(try fixture.transfer(Int64(round)))])
            store.close()
            #expect(try fixture.names() == ["store.sqlite"], "round \(round)")
            #expect(store.notices.isEmpty)
        }
    }

    @Test func `a text that searches and a list show no secret`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.transfer(1))])
        #expect(try await store.page(TransferQuery(text: "secret")).transfers.isEmpty)
        #expect(try fixture.sql("SELECT url FROM transfers") == ["https://files.example.org/data/1?…"])
    }

    @Test func `what is on record under a key is found, once, until it is deleted`() async throws {
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        func keyed(_ id: Int64, _ key: String?, owner: String = "command") throws -> Transfer {
            var transfer = try fixture.transfer(id)
            transfer.spec.submissionKey = key
            transfer.spec.owner = owner
            return transfer
        }
        func found(_ transfers: Transfer...) async throws -> [Int64?] {
            try await opened.store.transferIDs(of: transfers.compactMap { SubmissionKey($0.spec) }).map { $0?.rawValue }
        }
        let (first, second) = (try keyed(1, "k"), try keyed(2, "k", owner: "somebody"))
        try await opened.store.commit([.insert(first), .insert(second), .insert(try keyed(3, nil))])
        #expect(try await found(first, second, try keyed(4, "other")) == [1, 2, nil])
        await #expect(throws: StoreError.duplicateKey("k", owner: "command")) {
            try await opened.store.commit([.insert(try keyed(4, "k")), .insert(try keyed(5, nil))])
        }
        #expect(try await opened.store.transfers([TransferID(rawValue: 5)]).isEmpty)
        try await opened.store.commit([.delete(first.id)])
        #expect(try await found(first) == [nil])
        try await opened.store.commit([.insert(try keyed(6, "k"))])
        #expect(try await found(first) == [6])
    }
}
