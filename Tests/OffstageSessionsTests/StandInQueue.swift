// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import OffstageCore
import OffstageRuntime
import OffstageStore
import OffstageTestSupport

/// Transfers as seen by sessions: accepted tasks go to the store, and none are carried out.
actor StandInQueue: SessionTransfers {
    /// Files that the queue was asked to delete, unless a transfer needs them.
    struct Sweep: Equatable, Sendable {
        var names: Set<String>
        var folder: String
        /// Whether any transfer keeps its file, even a finished one.
        var isAnyKind: Bool
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: SQLiteStore
    private let clock: SystemClock
    private let trouble: StoreTrouble
    private var nextID: Int64
    private var isStopping = false
    private var sink: (@Sendable (SessionNotice) -> Void)?
    /// The numbers of tasks that the store would refuse permanently.
    private var refused: Set<Int> = []
    /// The commands for tasks and transfers, in order.
    private(set) var commands: [SessionTaskCommand] = []
    private(set) var cancelled: [String] = []
    private(set) var sweeps: [Sweep] = []
    private(set) var snapshotSweeps = 0
    /// How many batches were accepted.
    private(set) var batches = 0

    init(_ engine: EngineStage) {
        (loop, store, clock, trouble) = (engine.loop, engine.store, engine.clock, engine.trouble)
        nextID = engine.opened.nextID.rawValue
    }

    /// Immediately reports the tasks that the previous daemon left.
    func setSink(_ sink: @escaping @Sendable (SessionNotice) -> Void) {
        self.sink = sink
        var taken: [SessionName: Int] = [:]
        try? store.forEachUnfinished { summary in
            guard let session = summary.session else { return }
            taken[SessionName(app: summary.owner, identifier: session), default: 0] += 1
        }
        if !taken.isEmpty { sink(.taken(taken)) }
    }

    func refuse(_ task: Int) { refused.insert(task) }
    func stop() { isStopping = true }

    /// Like the queue's ledger: waits until the changes are durable, or the daemon stops.
    private func persist(_ changes: [TransferChange]) async -> Bool {
        await trouble.waitOut(.writing, unless: { isStopping }) { () throws(StoreError) in
            try await store.commit(changes)
            return true
        } ?? false
    }

    func accept(_ batch: HandOverBatch) async -> [RefusedSessionTask]? {
        let now = clock.now()
        var changes: [TransferChange] = []
        var taken: [SessionName: Int] = [:]
        var left: [RefusedSessionTask] = []
        for task in batch.tasks {
            if let number = task.spec.sessionTask?.task, refused.contains(number) {
                left.append(RefusedSessionTask(task, .refused(path: "/s", detail: "it is too much")))
                continue
            }
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
        let heard = (try? await store.transfers(batch.acknowledged))?.compactMap(\.sessionName) ?? []
        guard await persist(changes) else { return nil }
        batches += 1
        if !taken.isEmpty { sink?(.taken(taken)) }
        if !heard.isEmpty { sink?(.acknowledged(Set(heard))) }
        return left
    }

    /// Ends a task as its queue does: committed, then reported.
    func end(_ key: SessionTaskKey, of app: String) async throws {
        let found = try await store.transferIDs(of: [key], owner: app).compactMap(\.self)
        guard let id = found.first, var transfer = try await store.transfers([id]).first else {
            throw TestError("There is no task \(key.task).")
        }
        _ = SessionTaskCommand.cancel.apply(to: &transfer, now: clock.now())
        try await store.commit([.update(transfer)])
        sink?(.ended(transfer))
    }

    func carryOut(_ commands: [(task: SessionTaskKey, command: SessionTaskCommand)], for app: String) async -> Bool {
        self.commands += commands.map(\.command)
        return true
    }

    func carryOut(_ commands: [(id: TransferID, command: SessionTaskCommand)], for app: String) async -> Bool {
        self.commands += commands.map(\.command)
        return true
    }

    func commit(_ change: TransferChange) async -> CommitOutcome { await persist([change]) ? .durable : .stopped }

    func cancelAll(_ session: String, of app: String) async -> Bool {
        cancelled.append(session)
        return true
    }

    func cancelAllForQuit(_ app: String) async -> Int { 0 }
    func questions(of ids: [TransferID]) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)] {
        []
    }
    func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)] { [:] }
    func sweepSnapshots() async { snapshotSweeps += 1 }

    func deleteUnclaimed(_ names: [String], in folder: String, prefix: String, kinds: [TransferState.Kind]?) async {
        if !names.isEmpty { sweeps.append(Sweep(names: Set(names), folder: folder, isAnyKind: kinds == nil)) }
    }

    func deleteUnclaimedResponses(_ names: [String], in folder: String) async {}
}

/// Accounts as seen by sessions: there are none.
actor StandInAccounts: TransferAdmission {
    func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec { spec }
}
