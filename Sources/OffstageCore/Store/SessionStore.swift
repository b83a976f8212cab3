// SPDX-License-Identifier: Apache-2.0

/// The store's background sessions. Calls may come from any thread, and none blocks its caller.
package protocol SessionStore: TransferStore {
    /// A session's state; all zero if it never had a task.
    nonisolated(nonsending) func session(
        _ identifier: String,
        of owner: String
    ) async throws(StoreError) -> SessionStanding

    /// The tasks of a session that have not ended and come after `task`, in the order of their numbers.
    nonisolated(nonsending) func sessionTasks(
        _ identifier: String,
        of owner: String,
        after task: Int,
        limit: Int
    ) async throws(StoreError) -> [StoredSessionTask]

    /// The ended tasks of a session whose delegate has not been notified, in the order in which they ended, starting
    /// after the transfer `id`.
    nonisolated(nonsending) func pendingEnds(
        _ identifier: String,
        of owner: String,
        after id: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [PendingEnd]

    /// The subset of these transfers that are ended tasks whose delegate has not been notified.
    nonisolated(nonsending) func untold(_ ids: [TransferID]) async throws(StoreError) -> Set<TransferID>

    /// The transfers of these tasks, in the same order; nil for a missing one.
    nonisolated(nonsending) func transferIDs(
        of keys: [SessionTaskKey],
        owner: String
    ) async throws(StoreError) -> [TransferID?]

    /// The hand-over journals that have not been deleted.
    nonisolated(nonsending) func journals() async throws(StoreError) -> [StoredJournal]
}

/// A session's state in the store.
package struct SessionStanding: Sendable, Equatable {
    /// The highest task number ever used.
    @Within<Counts> package var highestTask: Int
    /// Tasks that have not ended, counted up to `countLimit`.
    package var outstanding: Int
    /// Ended tasks whose delegate has not been notified, counted up to `countLimit`.
    package var pendingEnds: Int

    /// An app that attaches only needs to know whether there are any. Counting a hundred thousand would keep it
    /// waiting.
    package static let countLimit = 1000

    package init(highestTask: Int = 0, outstanding: Int = 0, pendingEnds: Int = 0) {
        self.highestTask = highestTask
        self.outstanding = outstanding
        self.pendingEnds = pendingEnds
    }
}

/// A task for an app that attaches again. The specification stays JSON, because a session may have a hundred thousand
/// tasks, and hardly any of them is looked at.
package struct StoredSessionTask: Sendable, Equatable {
    package var id: TransferID
    package var task: Int
    package var kind: TransferState.Kind
    /// `TransferSpec` as JSON.
    package var spec: String

    package init(id: TransferID, task: Int, kind: TransferState.Kind, spec: String) {
        self.id = id
        self.task = task
        self.kind = kind
        self.spec = spec
    }
}

/// An ended task whose delegate has not been notified.
package struct PendingEnd: Sendable, Equatable {
    package var transfer: Transfer
    /// Whether `didFinishDownloadingTo` has already returned.
    package var isFileTaken: Bool

    package init(transfer: Transfer, isFileTaken: Bool) {
        self.transfer = transfer
        self.isFileTaken = isFileTaken
    }
}

/// A hand-over journal: its file, its owner, and how much of it is in the store.
package struct StoredJournal: Sendable, Equatable {
    /// The file's name in `OffstagePaths.journals`.
    package var name: String
    package var owner: String
    /// The last record whose effect is committed; 0 for none.
    package var sequence: UInt64

    package init(name: String, owner: String, sequence: UInt64) {
        self.name = name
        self.owner = owner
        self.sequence = sequence
    }
}
