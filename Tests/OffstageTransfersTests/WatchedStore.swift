// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import OffstageTestSupport

/// A store that counts its prunes, and refuses the changes that a test chooses.
struct WatchedStore: SessionStore {
    let store: SQLiteStore
    var prunes = Monitor(Prunes())
    var refusal: @Sendable (TransferChange) -> StoreError? = { _ in nil }

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
        for change in changes {
            if let refusal = refusal(change) { throw refusal }
        }
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

/// How often the store was asked to prune.
struct Prunes {
    var running = 0
    var mostAtOnce = 0
    var ended = 0
}
