// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Synchronization
import Testing

/// What has ended is forgotten without a look at what stays.
@Suite struct PruningTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func open() throws -> SQLiteStore { try SQLiteStore.open(path: fixture.path).store }

    @Test func `what is to be forgotten comes out of an index, in order, and nothing else is read`() throws {
        try open().close()
        // A store in which the planner would rather read the table.
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
        var turn = PruneTurn()
        let busy = Array(repeating: false, count: PruneTurn.patience + 2)
        let answers = ([true] + busy + [true]).map { turn.isNow(isIdle: $0) }
        #expect(answers == [true] + busy.dropLast(2) + [true, false, true])
    }

    /// A moment without a commit is a moment to prune, and a busy machine may bring one about: so it is tried again.
    @Test func `a prune waits while others commit`() async throws {
        let store = try SQLiteStore.open(path: fixture.path, commitDelay: 0.02).store
        defer { store.close() }
        try await store.commit((1...20).map { .insert(try fixture.finished($0)) })
        try await store.commit([.insert(try fixture.transfer(21))])
        for kept in (0..<20).reversed() where try await commits(to: store, duringPruneKeeping: kept) >= 8 {
            return
        }
        Issue.record("Every prune went before the commits that were wanted.")
    }

    /// How many commits have been made when a prune is done, of two that follow each other.
    private func commits(to store: SQLiteStore, duringPruneKeeping kept: Int) async throws -> Int {
        final class Progress: Sendable { let state = Mutex((commits: 0, isOver: false)) }
        let progress = Progress()
        let transfer = try fixture.transfer(21)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...2 {
                group.addTask {
                    while !progress.state.withLock({ $0.isOver }) {
                        try await store.commit([.update(transfer)])
                        progress.state.withLock { $0.commits += 1 }
                    }
                }
            }
            let pruned = try await store.prune(finishedBefore: .distantPast, keeping: kept)
            let commits = progress.state.withLock { state in
                state.isOver = true
                return state.commits
            }
            #expect(pruned.count == 1)
            try await group.waitForAll()
            return commits
        }
    }

    @Test func `a store that is closed leaves nobody waiting who prunes`() async throws {
        let store = try open()
        try await store.commit((1...200).map { .insert(try fixture.finished($0)) })
        async let pruned = store.prune(finishedBefore: .distantFuture, keeping: 0)
        store.close()
        // Done before, or failed: either way it returns.
        _ = try? await pruned
        await #expect(throws: StoreError.self) { try await store.prune(finishedBefore: .distantFuture, keeping: 0) }
    }
}
