// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Many ends at once begin one prune, not one each.
@Suite struct PruneOnceTests {
    @Test func `ends without number begin one prune at a time`() async throws {
        let prunes = Monitor(Prunes())
        let harness = try QueueHarness(seenThrough: { WatchedStore(store: $0, prunes: prunes) })
        let queue = harness.queue
        let hold = Date(timeIntervalSinceNow: 86_400)
        for lot in 1...2 {
            let ids = try await queue.submit((0..<1200).map { try Self.later("/tmp/\(lot)-\($0)", hold) })
            // All in a few commits: the end that makes a prune due has hundreds beside it.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids { group.addTask { try await queue.cancel(id) } }
                try await group.waitForAll()
            }
        }
        let found = prunes.wait(TimeLimit(seconds: 60)) { $0.ended >= 2 && $0.running == 0 ? $0 : nil }
        let counted = try #require(found)
        // One at the start, and one for each thousand.
        #expect(counted.ended <= 4, "\(counted.ended) prunes")
        #expect(counted.mostAtOnce == 1)
    }

    private static func later(_ path: String, _ date: Date) throws -> TransferSpec {
        let url = try RequestURL("http://127.0.0.1:9/")
        var spec = TransferSpec(direction: .download(.init(path: path)), url: url, owner: "command")
        spec.earliestBegin = date
        return spec
    }
}

private struct Prunes {
    var running = 0
    var mostAtOnce = 0
    var ended = 0
}

/// The store, and how often it is asked to prune.
private struct WatchedStore: SessionStore {
    let store: SQLiteStore
    let prunes: Monitor<Prunes>

    nonisolated(nonsending) func prune(
        finishedBefore date: Date,
        keeping count: Int
    ) async throws(StoreError) -> [PrunedTransfer] {
        prunes.withLock {
            $0.running += 1
            $0.mostAtOnce = max($0.mostAtOnce, $0.running)
        }
        defer {
            prunes.withLock {
                $0.running -= 1
                $0.ended += 1
            }
        }
        return try await store.prune(finishedBefore: date, keeping: count)
    }

    nonisolated(nonsending) func commit(_ changes: [TransferChange]) async throws(StoreError) {
        try await store.commit(changes)
    }

    nonisolated(nonsending) func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer] {
        try await store.transfers(ids)
    }

    nonisolated(nonsending) func transferIDs(of keys: [SubmissionKey]) async throws(StoreError) -> [TransferID?] {
        try await store.transferIDs(of: keys)
    }

    nonisolated(nonsending) func page(_ query: TransferQuery) async throws(StoreError) -> TransferPage {
        try await store.page(query)
    }

    nonisolated(nonsending) func session(
        _ identifier: String,
        of owner: String
    ) async throws(StoreError) -> SessionStanding { try await store.session(identifier, of: owner) }

    nonisolated(nonsending) func sessionTasks(
        _ identifier: String,
        of owner: String,
        after task: Int,
        limit: Int
    ) async throws(StoreError) -> [StoredSessionTask] {
        try await store.sessionTasks(identifier, of: owner, after: task, limit: limit)
    }

    nonisolated(nonsending) func pendingEnds(
        _ identifier: String,
        of owner: String,
        after id: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [PendingEnd] {
        try await store.pendingEnds(identifier, of: owner, after: id, limit: limit)
    }

    nonisolated(nonsending) func untold(_ ids: [TransferID]) async throws(StoreError) -> Set<TransferID> {
        try await store.untold(ids)
    }

    nonisolated(nonsending) func transferIDs(
        of keys: [SessionTaskKey],
        owner: String
    ) async throws(StoreError) -> [TransferID?] { try await store.transferIDs(of: keys, owner: owner) }

    nonisolated(nonsending) func journals() async throws(StoreError) -> [StoredJournal] { try await store.journals() }
}
