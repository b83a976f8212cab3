// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageRuntime

/// Carries the rules of OffstageCore out for all transfers: decides in memory, commits, then acts.
///
/// Runs on the daemon's loop and never waits for the disk there. What it does has parts of their own, which belong to the same
/// loop: the transfers that there are (`TransferRegistry`), whose turn it is (`TransferTurns`), when they are looked at next
/// (`TransferAgenda`), what an attempt does (`AttemptRunner`), how transfers are taken in (`TransferHandOver`) and forgotten
/// (`TransferHousekeeping`), and what is told of them (`TransferNotices`). The queue wires them, and is what others ask.
package actor TransferQueue {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let registry: TransferRegistry
    let turns: TransferTurns
    let agenda: TransferAgenda
    let runner: AttemptRunner
    let predecessors: PredecessorWatch
    let notices: TransferNotices
    let housekeeping: TransferHousekeeping
    let actions: TransferActions
    let handOver: TransferHandOver
    private let environment: Environment
    private let credentialHelper: String?
    /// Waiting and running transfers of the daemon before, to be read and asked what they need.
    private var initiallyRestored: [TransferID]

    /// See `TransferTurns`.
    package static let settlingLimit = TransferTurns.settlingLimit

    package init(
        loop: EventLoop,
        store: any SessionStore,
        trouble: StoreTrouble,
        environment: Environment,
        settings: Settings,
        places: TransferPlaces,
        nextID: TransferID,
        restored: consuming RestoredTransfers,
        crashes: CrashLedger = CrashLedger()
    ) {
        self.loop = loop
        self.environment = environment
        credentialHelper = settings.credentialHelper
        initiallyRestored = restored.toBeAsked
        registry = TransferRegistry(
            loop: loop,
            store: store,
            trouble: trouble,
            crashes: crashes,
            schedule: restored.schedule,
            now: environment.now
        )
        turns = TransferTurns(registry, limits: TransferLimits(settings), networkProblem: environment.networkProblem)
        let deadlines = TransferDeadlines(restored.deadlines)
        agenda = TransferAgenda(registry, turns: turns, deadlines: deadlines, zone: environment.zone)
        predecessors = PredecessorWatch(registry, turns: turns)
        let sessions = SessionReports(registry, initialTasks: restored.tasks)
        notices = TransferNotices(TransferViews(registry: registry, turns: turns), sessions: sessions)
        let leftovers = TransferLeftovers(store: store, workers: WorkerPool(threads: 3, on: loop), places: places)
        runner = AttemptRunner(registry, turns, notices, leftovers, environment, settings)
        housekeeping = TransferHousekeeping(registry, turns, predecessors, notices, leftovers, settings)
        actions = TransferActions(registry, turns, agenda, predecessors, runner, notices, housekeeping, environment)
        handOver = TransferHandOver(
            registry,
            turns,
            predecessors,
            actions,
            notices,
            housekeeping,
            nextID: nextID,
            log: environment.log
        )
    }

    // MARK: Start and stop

    /// Takes up what the daemon before left, and starts whose turn it is.
    package func begin(with engine: any TransferEngine) {
        runner.start(engine)
        actions.start { [weak self] transfer in self?.assumeIsolated { $0.askCredentialHelper(transfer) } }
        turns.start { [weak runner] in runner?.prepare($0) }
        agenda.start { [weak runner] in runner?.shareBandwidth() }
        turns.fill()
        let ids = initiallyRestored
        initiallyRestored = []
        // All are looked at together below, before anything is forgotten that they come after.
        predecessors.begin()
        loop.startTask {
            for start in stride(from: 0, to: ids.count, by: 256) {
                let chunk = Array(ids[start..<min(start + 256, ids.count)])
                await registry.load(chunk)
                for id in chunk {
                    registry.step(id) { $0.restored(now: $1) }
                    registry.release(id)
                }
            }
            await predecessors.lookAtAll()
            await housekeeping.prune()
            housekeeping.leftovers.sweepResumable()
        }
    }

    /// Begins nothing any more: called before what transfers wait for comes to its end.
    package func prepareToStop() { registry.isStopping = true }

    /// Breaks everything off, keeps where it stood, and returns when all of it is durable.
    package func shutDown() async {
        registry.isStopping = true
        runner.breakOffAll()
        for (id, entry) in registry.live where entry.transfer.state.kind == .running && entry.isRunningStored {
            await registry.persist(id)
        }
        runner.shutDown()
    }

    // MARK: Hand-over

    /// Hands transfers over that are no JSON yet.
    package func submit(_ specs: [TransferSpec]) async throws -> [TransferID] {
        try await submit(specs.map { HandedOver($0) })
    }

    /// Hands transfers over: returns once they are durable, with their ids in order.
    package func submit(_ all: [HandedOver]) async throws -> [TransferID] { try await handOver.submit(all) }

    // MARK: The machine

    /// Called on the loop with what the engine reports, in order.
    package func engineReported(_ events: [EngineEvent]) { runner.engineReported(events) }

    /// Called when a time has come at which transfers are to be looked at, and whenever the wall clock was set.
    package func alarmRang() { agenda.timeIsUp() }

    /// Links, addresses or routes have changed, or what transfers need of the machine.
    package func networkChanged() { agenda.networkChanged() }

    /// Names who knows what the machine is like.
    ///
    /// - Parameters:
    ///   - hold: what of the machine keeps who needs this from moving bytes to the host; nil for nothing.
    ///   - wish: has the machine watched for what those in line and those that run need, all together.
    package func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    ) {
        turns.setMachine(hold: hold, wish: wish)
    }

    /// Whether there are threads to open and save files with.
    package nonisolated var hasThreads: Bool { runner.workers.hasThreads }

    /// Computes something on a worker that would keep the loop from others.
    package func offLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await runner.workers.run(body)
    }

    /// The command that was run for the end of a transfer has failed: whoever looks at the transfer is told.
    package func completionFailed(of transfer: String, status: Int) {
        guard let number = Int64(transfer) else { return }
        let id = TransferID(rawValue: number)
        loop.startTask {
            await registry.load([id])
            if registry[id]?.transfer.completionFailed(status: status) == true { await registry.persist(id) }
            registry.release(id)
        }
    }

    private func askCredentialHelper(_ transfer: Transfer) {
        guard let helper = credentialHelper, !registry.isStopping else { return }
        let variables = ["OFFSTAGE_HOST": transfer.spec.url.host, "OFFSTAGE_URL": transfer.spec.url.withoutQuery]
        loop.startTask {
            guard let output = await environment.readCommand(helper, variables) else { return }
            let fields = output.split(separator: "\n").compactMap { line in
                try? HeaderField(parsing: String(line))
            }
            if !fields.isEmpty { try? await setHeaders(fields, of: transfer.id, fromHelper: true) }
        }
    }

    // MARK: What is shown

    /// One page, newest first, each row as it is at this moment.
    package func page(_ query: TransferQuery) async throws(StoreError) -> (
        snapshots: [TransferSnapshot], hasMore: Bool, counts: [TransferState.Kind: Int]
    ) {
        try await notices.views.page(query)
    }

    /// Whole transfers as they are at this moment; those that do not exist are left out.
    package func snapshots(_ ids: [TransferID]) async -> [TransferSnapshot] { await notices.views.snapshots(ids) }

    /// Tells `send`, on the loop and in order, what happens to these transfers, or to all when nil; with
    /// `onlyOutcomes`, only how they end, and when nothing answers for long.
    ///
    /// An observation of the same kind that is `known` is told of these as well, and its token returned: many of them
    /// would cost every notice a look at each.
    package func observe(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool = false,
        extending known: UInt64? = nil,
        send: @escaping @Sendable (TransferNotice) -> Void
    ) -> UInt64 {
        notices.observe(ids, onlyOutcomes: onlyOutcomes, extending: known, send: send)
    }

    package func stopObserving(_ token: UInt64) { notices.stopObserving(token) }

    /// What keeps the store from committing, as a sentence.
    package var storeNotice: String? { registry.trouble.standing?.sentence }

    /// The limit of all transfers together, in bytes a second.
    package var rateLimit: Int64? { turns.limits.rateLimit }

    /// What a client is told of the schedule: whether it decides now, lets nothing run, and when it is looked at next; nil
    /// where the settings have none.
    package var scheduleReport: (isInForce: Bool, isPause: Bool, until: Date?)? { turns.limits.report }
}
