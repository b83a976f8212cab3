// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Accepts transfers: numbers them, makes them durable, and enters them into the queue.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferHandOver: @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let predecessors: PredecessorWatch
    private let actions: TransferActions
    private let notices: TransferNotices
    private let housekeeping: TransferHousekeeping
    private let log: Log
    /// Greater than every number ever given.
    private(set) var nextID: TransferID

    init(
        _ registry: TransferRegistry,
        _ turns: TransferTurns,
        _ predecessors: PredecessorWatch,
        _ actions: TransferActions,
        _ notices: TransferNotices,
        _ housekeeping: TransferHousekeeping,
        nextID: TransferID,
        log: Log
    ) {
        self.registry = registry
        self.turns = turns
        self.predecessors = predecessors
        self.actions = actions
        self.notices = notices
        self.housekeeping = housekeeping
        self.nextID = nextID
        self.log = log
    }

    /// Hands over transfers: returns once they are durable, with their IDs in order.
    ///
    /// For a transfer whose submission key is on record, this returns the number of the recorded transfer.
    ///
    /// - Throws: `QueueError` for a transfer that cannot be accepted, `StoreError` if the store cannot be written now.
    func submit(_ all: [TransferQueue.HandedOver]) async throws -> [TransferID] {
        let keys = all.map { SubmissionKey($0.spec) }
        guard keys.contains(where: { $0 != nil }) else { return try await insert(all) }
        while true {
            let wanted = keys.compactMap(\.self)
            let found = try await registry.store.transferIDs(of: wanted)
            var known = Dictionary(zip(wanted, found).compactMap { key, id in id.map { (key, $0) } }) { first, _ in
                first
            }
            // Of several with the same key in this batch, only the first is created.
            var seen = Set(known.keys)
            let fresh = all.indices.filter { index in keys[index].map { seen.insert($0).inserted } ?? true }
            do {
                let ids = fresh.isEmpty ? [] : try await insert(fresh.map { all[$0].adopted })
                var made: [Int: TransferID] = [:]
                for (index, id) in zip(fresh, ids) {
                    made[index] = id
                    if let key = keys[index] { known[key] = id }
                }
                return all.indices.compactMap { index in made[index] ?? keys[index].flatMap { known[$0] } }
            } catch StoreError.duplicateKey {
                // Another caller has handed it over in the meantime.
                continue
            }
        }
    }

    private func insert(_ all: [TransferQueue.HandedOver]) async throws -> [TransferID] {
        try await predecessors.check(all.map(\.spec))
        try RunningTargets(registry: registry).check(all.lazy.map(\.spec))
        let now = registry.now()
        let transfers = all.map { Transfer(id: makeID(), spec: $0.spec, now: now) }
        try await registry.ledger.writeNow(zip(transfers, all).map { .insert($0, encodedSpec: $1.json) })
        enter(transfers, now: now)
        return transfers.map(\.id)
    }

    /// Accepts a batch of an app's journal with one commit. A failing store is not an error here: the commit is retried
    /// until the daemon stops.
    ///
    /// - Returns: the tasks that the store refuses for good, while all other tasks are accepted; nil if the daemon
    ///   stops before that is durable.
    func accept(_ batch: HandOverBatch) async -> [RefusedSessionTask]? {
        let now = registry.now()
        let ended = await ends(batch.filesTaken + batch.acknowledged, of: batch.app)
        var (left, refused) = (batch, [RefusedSessionTask]())
        while !registry.isStopping {
            let transfers = Doing.named(.journal, .takingIn, batch.journal) {
                left.tasks.map { Transfer(id: makeID(), spec: $0.spec, now: now) }
            }
            switch await registry.ledger.write(left.changes(inserting: zip(transfers, left.tasks))) {
            case .durable:
                if !transfers.isEmpty { Doing.named(.journal, .takingIn, batch.journal) { enter(transfers, now: now) } }
                settle(batch, ended)
                return refused
            case .stopped: return nil
            case .refused(.duplicateTask(let key, let owner)) where left.tasks.contains { $0.spec.sessionTask == key }:
                // Already imported: a task is identified by its number, whichever record it came in.
                log.error(
                    "a task was handed over twice: it counts once",
                    ["reason": StoreError.duplicateTask(key, owner: owner)]
                )
                left.tasks = Self.withoutDuplicate(key, left.tasks)
            case .refused(let refusal):
                guard left.tasks.count <= 1 else {
                    guard let some = await acceptOneByOne(left) else { return nil }
                    refused += some
                    left.tasks = []
                    continue
                }
                guard let task = left.tasks.first else {
                    registry.trouble.giveUp(refusal)
                    return refused
                }
                refused.append(RefusedSessionTask(task, refusal))
                left.tasks = []
            }
        }
        return nil
    }

    /// Accepts the tasks of a batch one by one, after the store has refused at least one.
    private func acceptOneByOne(_ batch: HandOverBatch) async -> [RefusedSessionTask]? {
        var refused: [RefusedSessionTask] = []
        for task in batch.tasks {
            // The journal's position stays until all have been tried: a task that is read again counts once.
            var one = HandOverBatch(app: batch.app, journal: batch.journal, sequence: nil)
            one.tasks = [task]
            guard let some = await accept(one) else { return nil }
            refused += some
        }
        return refused
    }

    private func makeID() -> TransferID {
        defer { nextID = TransferID(rawValue: nextID.rawValue + 1) }
        return nextID
    }

    /// Enters newly durable transfers into the queue.
    private func enter(_ transfers: [Transfer], now: Moment) {
        registry.metrics.accepted(transfers, seconds: registry.now().seconds(since: now))
        notices.sessions.reportAccepted(transfers)
        for transfer in transfers {
            registry.census.decided(transfer.id, from: nil, to: transfer.state)
            registry.keep(transfer)
            var fresh = transfer
            actions.perform(fresh.restored(now: now), for: transfer)
        }
        notices.accepted(transfers)
        turns.fill()
    }

    // MARK: Journals

    /// Drops duplicate tasks. Of several with the same number the first counts, unless the store already has the task.
    private static func withoutDuplicate(_ key: SessionTaskKey, _ tasks: [HandOverBatch.Task]) -> [HandOverBatch.Task] {
        let same = tasks.indices.filter { tasks[$0].spec.sessionTask == key }
        let dropped = Set(same.count > 1 ? same.dropFirst() : same[...])
        return tasks.indices.filter { !dropped.contains($0) }.map { tasks[$0] }
    }

    /// The transfers among these that are ended tasks of the app.
    private func ends(_ ids: [TransferID], of app: String) async -> [TransferID: Transfer] {
        guard !ids.isEmpty else { return [:] }
        let found = await registry.reading { store throws(StoreError) in try await store.transfers(Array(Set(ids))) }
        let ended = (found ?? []).filter { $0.spec.owner == app && $0.spec.sessionTask != nil && $0.isFinished }
        return Dictionary(ended.map { ($0.id, $0) }) { $1 }
    }

    /// Releases the files and ends that an app has taken or acknowledged: they need not be kept any longer.
    private func settle(_ batch: HandOverBatch, _ ended: [TransferID: Transfer]) {
        let leftovers = housekeeping.leftovers
        let (taken, told) = (batch.filesTaken, batch.acknowledged)
        leftovers.delete(leftovers.files(of: ended, filesTaken: taken, acknowledged: told))
        notices.sessions.acknowledged(told.compactMap { ended[$0] })
        // Only now may these be forgotten.
        housekeeping.record(ended: told.count)
    }
}

extension HandOverBatch {
    /// The changes of the batch's commit.
    fileprivate func changes(inserting transfers: Zip2Sequence<[Transfer], [Task]>) -> [TransferChange] {
        var changes: [TransferChange] = []
        changes.reserveCapacity(tasks.count + filesTaken.count + acknowledged.count + 1)
        for (transfer, task) in transfers { changes.append(.insert(transfer, encodedSpec: task.json)) }
        for id in filesTaken { changes.append(.fileTaken(id, owner: app)) }
        for id in acknowledged { changes.append(.acknowledge(id, owner: app)) }
        if let sequence { changes.append(.advanceJournal(name: journal, sequence: sequence)) }
        return changes
    }
}
