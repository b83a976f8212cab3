// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// The transfers that have not been forgotten: the line of transfers that wait their turn, the transfers in memory, and
/// the path between memory and the store.
///
/// For a transfer that only waits its turn, it keeps the place in line, and reads the remaining data from the store
/// when the turn comes.
///
/// `@unchecked Sendable`: belongs to the loop, which every access to a transfer checks.
package final class TransferRegistry: @unchecked Sendable {
    let loop: EventLoop
    let store: any SessionStore
    let trouble: StoreTrouble
    /// Changes on their way into the store.
    let ledger: Ledger<TransferChange>
    let crashes: CrashMemory
    let chronicle: ChronicleRecorder
    let now: @Sendable () -> Moment
    /// The transfers that wait their turn, and those that have a slot.
    var schedule: TransferSchedule
    /// The counts and measurements of all transfers.
    var metrics = TransferMetrics()
    var census: TransferCensus
    /// The transfers in memory.
    private(set) var live: [TransferID: LiveTransfer] = [:]
    /// Reads in progress, so that a transfer is never read twice at once.
    private var loading: Set<TransferID> = []
    private let waiters = Waiters<TransferID, Void>()
    /// Carries out decisions.
    weak var follower: (any TransferFollower)?
    /// Whether the daemon is stopping: nothing is begun or retried any more.
    package var isStopping = false

    /// How many transfers that only wait their turn are kept in memory completely.
    static let liveLimit = 4096

    package init(
        loop: EventLoop,
        store: any SessionStore,
        trouble: StoreTrouble,
        crashes: CrashMemory,
        schedule: TransferSchedule,
        census: TransferCensus = TransferCensus(),
        chronicle: ChronicleRecorder = ChronicleRecorder(),
        now: @escaping @Sendable () -> Moment
    ) {
        self.loop = loop
        self.store = store
        self.trouble = trouble
        ledger = Ledger(loop: loop, trouble: trouble) { changes throws(StoreError) in
            try await store.commit(changes)
        }
        self.crashes = crashes
        self.schedule = schedule
        self.census = census
        self.chronicle = chronicle
        self.now = now
    }

    /// A transfer in memory; nil if it is not there. It is changed in place, without a copy.
    subscript(id: TransferID) -> LiveTransfer? {
        _read {
            loop.checkIsolated()
            yield live[id]
        }
        _modify {
            loop.checkIsolated()
            yield &live[id]
        }
    }

    /// Keeps a newly handed-over transfer in memory, while there is room.
    package func keep(_ fresh: Transfer) {
        if live.count < Self.liveLimit { self[fresh.id] = LiveTransfer(transfer: fresh) }
    }

    /// Whether this attempt of a transfer is running.
    func isRunning(_ id: TransferID, attempt: Int) -> Bool {
        if case .running(let current)? = self[id]?.transfer.state { current.number == attempt } else { false }
    }

    /// Bytes that remain transferred if the current attempt is broken off: with a dialect, those its server has
    /// acknowledged.
    func kept(of transfer: Transfer) -> Int64 { self[transfer.id]?.run?.attempt.kept ?? transfer.bytesDone }

    /// Whether a request of the attempt under way may have been sent: not before its keeper has confirmed anything.
    func mayHaveSent(_ id: TransferID) -> Bool { self[id]?.run?.attempt.mustBeKept != true }

    // MARK: Memory and store

    /// Loads transfers into memory: all that exist are there when this returns.
    ///
    /// - Returns: the transfers that do not exist.
    @discardableResult
    func load(_ ids: [TransferID]) async -> Set<TransferID> {
        var absent: Set<TransferID> = []
        // Checked again after every wait: the reader of a transfer may have released it before this task continues.
        while true {
            let missing = ids.filter { live[$0] == nil && !absent.contains($0) }
            guard let first = missing.first else { return absent }
            let mine = missing.filter { !loading.contains($0) }
            if mine.isEmpty {
                await waiters.wait(for: first) { loading.contains(first) }
            } else {
                await read(mine)
                absent.formUnion(mine.filter { live[$0] == nil })
            }
        }
    }

    /// Reads transfers that no other task is reading.
    private func read(_ ids: [TransferID]) async {
        loading.formUnion(ids)
        let found = await reading { store throws(StoreError) in try await store.transfers(ids) }
        for transfer in found ?? [] where live[transfer.id] == nil {
            self[transfer.id] = LiveTransfer(transfer: transfer)
            let isInLine = schedule.isQueued(transfer.id) || schedule.isRunning(transfer.id)
            census.loaded(transfer.id, transfer.state, isInLine: isInLine)
        }
        for id in ids {
            loading.remove(id)
            waiters.resume(id)
        }
    }

    /// Reads from the store, retrying until it succeeds; nil if the daemon stops first.
    func reading<Value>(_ body: (any SessionStore) async throws(StoreError) -> Value) async -> Value? {
        await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in try await body(store) }
    }

    /// Makes a transfer's state in memory durable, as it is when it is written. Writing to a failing store is retried:
    /// nothing is dropped. A change that the store refuses for good holds up nothing.
    ///
    /// - Returns: false if the daemon stops before the state is durable: no action may follow from it then.
    @discardableResult
    func persist(_ id: TransferID) async -> Bool { await persist([id]) }

    /// Makes the state of transfers in memory durable with one commit; see `persist(_:)`.
    @discardableResult
    func persist(_ ids: [TransferID]) async -> Bool {
        let present = ids.filter { self[$0] != nil }
        guard !present.isEmpty else { return true }
        for id in present {
            self[id]?.pendingCommits += 1
            if self[id].map({ ledger.isCollecting($0.commit) }) == false { self[id]?.commit = record(id) }
        }
        defer { for id in present { self[id]?.pendingCommits -= 1 } }
        return await ledger.untilDurable()
    }

    /// Schedules a transfer to be written with the next commit.
    private func record(_ id: TransferID) -> Ledger<TransferChange>.Number {
        var isSpecChanged = false
        return ledger.recordLatest {
            guard let entry = self[id] else { return nil }
            // Once included, the specification is included in every further try.
            if entry.isSpecChanged {
                isSpecChanged = true
                self[id]?.isSpecChanged = false
            }
            let transfer = entry.transfer.reaching(entry.kept)
            return isSpecChanged ? .updateWithSpec(transfer) : .update(transfer)
        } refused: {
            // It stays in memory, the only place that knows it. A changed specification is not written with the next
            // change: refused for it, the end of the transfer would be lost as well.
            self[id]?.pendingCommits += 1
        }
    }

    /// From now on, nothing is begun, and reads and writes that fail at the moment are given up.
    package func prepareToStop() {
        isStopping = true
        ledger.prepareToStop()
    }

    /// Removes a transfer from memory if nothing needs it there.
    func release(_ id: TransferID) {
        guard let entry = self[id], entry.pendingCommits == 0, entry.run == nil, !entry.isSyncing else { return }
        switch entry.transfer.state {
        case .running, .saving: return
        case .queued:
            if schedule.isRunning(id) || live.count <= Self.liveLimit { return }
        case .waiting, .paused, .finished: break
        }
        self[id] = nil
    }
}
