// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageStore
import OffstageTestSupport

/// Transfers as sessions see them: what is taken in goes to the store, and nothing of it is carried out.
actor StandInQueue: SessionTransfers {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: SQLiteStore
    private let clock: SystemClock
    private var nextID: Int64
    private var sink: (@Sendable (SessionNotice) -> Void)?
    /// What was asked of tasks and transfers, in order.
    private(set) var commands: [TaskCommand] = []

    init(loop: EventLoop, store: SQLiteStore, clock: SystemClock, nextID: Int64) {
        (self.loop, self.store, self.clock, self.nextID) = (loop, store, clock, nextID)
    }

    func setSink(_ sink: @escaping @Sendable (SessionNotice) -> Void) { self.sink = sink }

    func accept(_ batch: HandOverBatch) async -> [RefusedTask]? {
        let now = clock.now()
        var changes: [TransferChange] = []
        var taken: [SessionName: Int] = [:]
        for task in batch.tasks {
            let transfer = Transfer(id: TransferID(rawValue: nextID), spec: task.spec, now: now)
            nextID += 1
            changes.append(.insert(transfer, encodedSpec: task.json))
            if let session = transfer.sessionName { taken[session, default: 0] += 1 }
        }
        changes += batch.filesTaken.map { .fileTaken($0, owner: batch.app) }
        changes += batch.acknowledged.map { .acknowledge($0, owner: batch.app) }
        if let sequence = batch.sequence {
            changes.append(.advanceJournal(name: batch.journal, sequence: sequence))
        }
        guard (try? await store.commit(changes)) != nil else { return nil }
        if !taken.isEmpty { sink?(.taken(taken)) }
        return []
    }

    /// Ends a task as its queue does: committed, then told.
    func end(_ key: SessionTaskKey, of app: String) async throws {
        let found = try await store.transferIDs(of: [key], owner: app).compactMap(\.self)
        guard let id = found.first, var transfer = try await store.transfers([id]).first else {
            throw TestError("There is no task \(key.task).")
        }
        _ = TaskCommand.cancel.apply(to: &transfer, now: clock.now())
        try await store.commit([.update(transfer)])
        sink?(.ended(transfer))
    }

    func carryOut(_ commands: [(task: SessionTaskKey, command: TaskCommand)], for app: String) async -> Bool {
        self.commands += commands.map(\.command)
        return true
    }

    func carryOut(_ commands: [(id: TransferID, command: TaskCommand)], for app: String) async -> Bool {
        self.commands += commands.map(\.command)
        return true
    }

    func commit(_ change: TransferChange) async -> CommitOutcome {
        (try? await store.commit([change])) == nil ? .stopped : .durable
    }

    func cancelAll(_ session: String, of app: String) async -> Bool { true }
    func cancelAllForQuit(_ app: String) async -> Int { 0 }
    func questions(of ids: [TransferID]) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)] {
        []
    }
    func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)] { [:] }
    func sweepSnapshots() async {}
    func deleteUnclaimed(_ names: [String], in folder: String, prefix: String, kinds: [TransferState.Kind]?) async {}
    func deleteUnclaimedResponses(_ names: [String], in folder: String) async {}
}

/// Accounts as sessions see them: there are none.
actor StandInAccounts: TransferAdmission {
    func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec { spec }
}
