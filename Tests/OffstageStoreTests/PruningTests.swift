// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// Finished transfers are pruned without reading the ones that stay.
@Suite struct PruningTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func open() throws -> SQLiteStore { try SQLiteStore.open(path: fixture.path).store }

    @Test func `what is to be forgotten comes out of an index, in order, and nothing else is read`() throws {
        try open().close()
        // A store for which the planner would prefer to read the table.
        try fixture.sql("ANALYZE; INSERT INTO sqlite_stat1 VALUES ('transfers', 'transfers_by_end', '10 10 10')")
        let plan = try fixture.sql("EXPLAIN QUERY PLAN " + PruneSQL.oldestEnds.replacing("?1", with: "128"))
        #expect(plan.contains { $0.contains("transfers USING INDEX transfers_by_end") })
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasSuffix("SCAN transfers") })
        #expect(plan.contains { $0.contains("SEARCH records USING INTEGER PRIMARY KEY") })
    }

    @Test func `the oldest go first, a bounded piece at a time`() async throws {
        let store = try open()
        defer { store.close() }
        // The higher the number, the longer ago it ended.
        let ends = try (1...300).map { try fixture.finished($0, .completed(Answer(status: 200)), at: -Double($0)) }
        try await store.commit(ends.map { .insert($0) })
        var pieces: [[Int64]] = []
        while true {
            let piece = try await store.prune(finishedBefore: .distantPast, keeping: 10)
            if piece.isEmpty { break }
            pieces.append(piece.map(\.id.rawValue))
        }
        #expect(pieces.map(\.count) == [128, 128, 34])
        #expect(pieces.flatMap(\.self) == (11...300).reversed())
        #expect(try await store.page(TransferQuery()).counts == [.finished: 10])
    }

    @Test func `a record is read only where there may be files to delete`() async throws {
        let store = try open()
        defer { store.close() }
        let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        var sent = try fixture.finished(3, .completed(Answer(status: 200)), at: 3)
        sent.spec.direction = .upload(.init(path: "/s/three", identity: identity))
        var copied = try fixture.finished(4, .completed(Answer(status: 200)), at: 4)
        copied.spec.direction = .upload(.init(path: "/s/four", identity: identity, isSnapshot: true))
        try await store.commit([
            .insert(try fixture.finished(1, .completed(Answer(status: 200)), at: 1)),
            .insert(try fixture.finished(2, .failed(TransferFailure(.cannotConnect, "no"), nil), at: 2)),
            .insert(sent), .insert(copied),
        ])
        let pruned = try await store.prune(finishedBefore: .distantFuture, keeping: 0)
        #expect(pruned.map(\.id.rawValue) == [1, 2, 3, 4])
        #expect(pruned.map { $0.transfer?.id.rawValue } == [nil, 2, nil, 4])
    }

    @Test func `a record that is no use is forgotten as well, and does not end the pruning`() async throws {
        let store = try open()
        defer { store.close() }
        try await store.commit([.insert(try fixture.finished(1)), .insert(try fixture.finished(2, at: 1))])
        try fixture.sql("UPDATE records SET record = X'00', spec = X'00'")
        #expect(try await store.prune(finishedBefore: .distantFuture, keeping: 0).map(\.id.rawValue) == [1, 2])
    }

    @Test func `whoever waits for a commit goes first, but not for ever`() {
        var turn = PruneTurn<String>()
        func take(_ requests: String...) -> [String] {
            let (commits, prune) = turn.plan(requests) { $0.hasPrefix("prune") }
            return commits + (prune.map { [$0] } ?? [])
        }
        #expect(take("prune 1") == ["prune 1"])
        #expect(take("prune 2", "commit 1", "prune 3", "commit 2") == ["commit 1", "commit 2"])
        for _ in 2...PruneTurn<String>.patience { #expect(take("commit") == ["commit"]) }
        #expect(take("commit") == ["commit", "prune 2"])
        #expect(take("commit") == ["commit"])
        #expect(take() == ["prune 3"])
        #expect(take().isEmpty && turn.isEmpty)
        #expect(take("commit", "prune 4") == ["commit"])
        #expect(turn.removeAll() == ["prune 4"] && turn.isEmpty)
    }

    @Test func `a store that is closed leaves nobody waiting who prunes`() async throws {
        let store = try open()
        try await store.commit((1...200).map { .insert(try fixture.finished($0)) })
        async let pruned = store.prune(finishedBefore: .distantFuture, keeping: 0)
        store.close()
        // Finished before, or failed: either way it returns.
        _ = try? await pruned
        await #expect(throws: StoreError.self) { try await store.prune(finishedBefore: .distantFuture, keeping: 0) }
    }
}
