// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageRuntime

/// Carries out OffstageCore's rules for all transfers: decides in memory, commits, then acts.
///
/// Runs on the daemon's loop and never waits for the disk there. Its parts belong to the same loop: the existing
/// transfers (`TransferRegistry`), their turns (`TransferTurns`), the times of their next examination
/// (`TransferAgenda`), the course of attempts (`AttemptRunner`), accepting (`TransferHandOver`) and forgetting
/// transfers (`TransferHousekeeping`), and notices about them (`TransferNotices`). The queue connects them and is their
/// interface.
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
    /// The previous daemon's transfers that must still be read: those that waited or ran, have further addresses, or
    /// come after other transfers.
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
        crashes: CrashMemory = CrashMemory(),
        chronicle: ChronicleRecorder = ChronicleRecorder()
    ) {
        self.loop = loop
        self.environment = environment
        credentialHelper = settings.credentialHelper
        initiallyRestored = restored.toBeAsked
        var census = restored.census
        census.expect(initiallyRestored)
        registry = TransferRegistry(
            loop: loop,
            store: store,
            trouble: trouble,
            crashes: crashes,
            schedule: restored.schedule,
            census: census,
            chronicle: chronicle,
            now: environment.now
        )
        turns = TransferTurns(registry, limits: TransferLimits(settings), networkProblem: environment.networkProblem)
        let deadlines = TransferDeadlines(restored.deadlines)
        agenda = TransferAgenda(registry, turns: turns, deadlines: deadlines, zone: environment.zone)
        predecessors = PredecessorWatch(registry, turns: turns)
        let sessions = SessionReports(registry, initialTasks: restored.tasks)
        let views = TransferViews(registry: registry, turns: turns)
        notices = TransferNotices(views, sessions: sessions, notify: settings.notify)
        let lanes = FileLanes(
            workers: WorkerPool(threads: 3, on: loop),
            homePath: places.snapshots,
            sync: environment.sync
        )
        let leftovers = TransferLeftovers(store: store, lanes: lanes, places: places)
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

    /// Takes over the previous daemon's transfers, and starts those whose turn it is.
    package func begin(with engine: any TransferEngine) {
        runner.start(engine)
        actions.start { [weak self] transfer in self?.assumeIsolated { $0.askCredentialHelper(transfer) } }
        turns.start { [weak runner] in runner?.prepare($0) }
        agenda.start { [weak runner] in runner?.shareBandwidth() }
        turns.fill()
        let ids = initiallyRestored
        initiallyRestored = []
        // All are examined together below, before any transfer that they come after is forgotten.
        predecessors.begin()
        loop.startTask {
            for start in stride(from: 0, to: ids.count, by: 256) {
                let chunk = Array(ids[start..<min(start + 256, ids.count)])
                await registry.load(chunk)
                for id in chunk {
                    registry.census.read(id, registry[id]?.transfer.state)
                    registry.step(id) { $0.restored(now: $1) }
                    registry.release(id)
                }
            }
            await predecessors.lookAtAll()
            await housekeeping.prune()
            housekeeping.leftovers.sweepResumable()
        }
    }

    /// Stops beginning transfers: called before the things that transfers wait for end.
    package func prepareToStop() { registry.prepareToStop() }

    /// Breaks off everything, keeps the progress, and returns when all decisions are durable, or cannot be.
    package func shutDown() async {
        registry.prepareToStop()
        runner.breakOffAll()
        let stored = registry.live.filter { $1.transfer.state.kind == .running && $1.isRunningStored }
        await registry.persist(stored.keys.sorted())
        // Comes after the engine's reports so far: its last ends are then decided, and on their way.
        _ = await registry.ledger.untilDurable()
        // Decisions made during a commit are in the next one. While the store fails, each is retried once.
        await registry.ledger.shutDown()
        runner.shutDown()
    }

    // MARK: Hand-over

    /// Hands over transfers that have no JSON yet.
    package func submit(_ specs: [TransferSpec]) async throws -> [TransferID] {
        try await submit(specs.map { HandedOver($0) })
    }

    /// Hands over transfers: returns once they are durable, with their IDs in order.
    package func submit(_ all: [HandedOver]) async throws -> [TransferID] { try await handOver.submit(all) }

    // MARK: The machine

    /// Called on the loop with the engine's events, in order.
    package func engineReported(_ events: [EngineEvent]) { runner.engineReported(events) }

    /// Called when transfers are due to be examined, and whenever the wall clock was set.
    package func alarmRang() { agenda.timeIsUp() }

    /// Called when links, addresses or routes have changed, or the transfers' needs of the machine.
    package func networkChanged() { agenda.networkChanged() }

    /// Sets the callbacks for the state of the machine.
    ///
    /// - Parameters:
    ///   - hold: the condition of the machine that keeps a transfer with these needs from moving bytes to the host; nil
    ///     for none.
    ///   - wish: starts watching the machine for the combined needs of the transfers that are in line or running.
    package func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    ) {
        turns.setMachine(hold: hold, wish: wish)
    }

    /// Whether threads exist to open and save files.
    package nonisolated var hasThreads: Bool { runner.lanes.home.workers.hasThreads }

    /// Runs a computation on a worker that would block the loop.
    package func offLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await runner.lanes.home.workers.run(body)
    }

    /// Records that the command for a transfer's end has failed, so that it is shown with the transfer.
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
            // A helper that fails has no new fields, and is also called again.
            let output = await environment.readCommand(helper, variables) ?? ""
            guard !registry.isStopping else { return }
            let fields = output.split(separator: "\n").compactMap { line in
                try? HeaderField(parsing: String(line))
            }
            if case .waiting(let wait) = transfer.state, wait.askAgain == nil,
                HelperAnswer(fields).isKnown(to: transfer)
            {
                environment.log.notice(
                    "the credential helper has nothing but what was refused: it is asked again later",
                    ["transfer": transfer.id, "host": transfer.spec.url.host]
                )
            }
            try? await setHeaders(fields, of: transfer.id, fromHelper: true)
        }
    }

    // MARK: Views

    /// One page, newest first, each row in its current state.
    package func page(_ query: TransferQuery) async throws(StoreError) -> (
        snapshots: [TransferSnapshot], hasMore: Bool, counts: [TransferState.Kind: Int]
    ) {
        try await notices.views.page(query)
    }

    /// The lines of the queue for each owner and host, the longest first, and how many more there are.
    package func lines(most: Int) -> (lines: [QueueLine], more: Int) { registry.schedule.lines(most: most) }

    /// Whole transfers in their current state; those that do not exist are left out.
    package func snapshots(_ ids: [TransferID]) async -> [TransferSnapshot] { await notices.views.snapshots(ids) }

    /// Sends notices about these transfers, or about all if nil, to `send`, on the loop and in order. With
    /// `onlyOutcomes`, reports only how they end, and when no server has answered for a long time.
    ///
    /// If `known` is an observation of the same kind, it also receives notices about these transfers, and its token is
    /// returned: with many observations, every notice would have to check each one.
    ///
    /// A notice has a number, which is the same for all observers that get the same notice, so an encoding made for one
    /// can be reused for the next.
    package func observe(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool = false,
        extending known: UInt64? = nil,
        send: @escaping @Sendable (_ notice: TransferNotice, _ number: UInt64) -> Void
    ) -> UInt64 {
        notices.observe(ids, onlyOutcomes: onlyOutcomes, extending: known, send: send)
    }

    /// Sets the receiver of news that a person wants to receive, called on the loop.
    package func setNewsSink(_ tell: @escaping @Sendable (TransferNews) -> Void) { notices.setNewsSink(tell) }

    package func stopObserving(_ token: UInt64) { notices.stopObserving(token) }

    /// The counts and measurements of transfers since the start.
    package var metrics: TransferMetrics { registry.metrics }

    /// How many transfers have not ended, by the reason for waiting.
    package var standings: (all: Tally<TransferStanding>, line: Tally<LineStanding>) {
        (registry.census.counts, turns.counts())
    }

    /// What keeps the store from committing, as a sentence.
    package var storeNotice: String? { registry.trouble.standing?.sentence }

    /// The limit of all transfers together, in bytes a second.
    package var rateLimit: Int64? { turns.limits.rateLimit }

    /// The schedule's state for clients: whether it applies now, whether it lets nothing run, and when it is checked
    /// next; nil if the settings have no schedule.
    package var scheduleReport: (isInForce: Bool, isPause: Bool, until: Date?)? { turns.limits.report }
}
