// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageRuntime

/// Carries attempts out: opens the file, has the engine send or fetch it, and saves the received data.
///
/// `Attempt` decides; this type reports events to it and carries out its actions. The rule of the attempt's transfer
/// decides what the attempt's end means.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class AttemptRunner: @unchecked Sendable {
    let registry: TransferRegistry
    let turns: TransferTurns
    let notices: TransferNotices
    let environment: TransferQueue.Environment
    let policy: RetryPolicy
    let leftovers: TransferLeftovers
    let saves: TransferSaves
    let dialects: AttemptDialects
    let counts: AttemptCounts
    let keepers: TransferKeepers
    let stalls: StallWatch
    private(set) var engine: (any TransferEngine)?
    var largeBuffers = LargeBuffers()
    /// How many files have been opened for attempts so far.
    var openings: UInt64 = 0
    /// Callers that wait until no attempt has the transfer's file open.
    let fileWaiters = Waiters<TransferID, Void>()

    init(
        _ registry: TransferRegistry,
        _ turns: TransferTurns,
        _ notices: TransferNotices,
        _ leftovers: TransferLeftovers,
        _ environment: TransferQueue.Environment,
        _ settings: Settings
    ) {
        self.registry = registry
        self.turns = turns
        self.notices = notices
        self.environment = environment
        self.leftovers = leftovers
        policy = RetryPolicy(baseDelay: settings.retryBaseDelay, maximumDelay: settings.retryMaximumDelay)
        saves = TransferSaves(registry, turns, leftovers, environment)
        dialects = AttemptDialects(registry)
        counts = AttemptCounts(registry: registry)
        keepers = TransferKeepers(registry)
        stalls = StallWatch(registry, turns, notices, leftovers.lanes)
    }

    var places: TransferPlaces { leftovers.places }
    /// The threads that work with files.
    var lanes: FileLanes { leftovers.lanes }

    /// Sets the engine that carries requests out.
    func start(_ engine: any TransferEngine) {
        self.engine = engine
        stalls.start { engine.stalled(at: $0) }
        keepers.start { [weak self] event, id, attempt in self?.handle(event, of: id, attempt: attempt) }
    }

    /// Breaks off all attempts: no file is read or written after this returns.
    func breakOffAll() {
        for entry in registry.live.values { entry.run?.hashing?.job.stop() }
        engine?.shutDown()
    }

    /// Finishes the workers' jobs and ends their threads.
    func shutDown() {
        lanes.shutDown()
    }

    /// The targets that running downloads are fetching.
    var targets: RunningTargets { RunningTargets(registry: registry) }

    // MARK: Attempts

    /// - Parameters:
    ///   - event: what happened.
    ///   - id: the transfer whose attempt it happened to.
    ///   - number: the number of that attempt; nil for the current one.
    func handle(_ event: AttemptEvent, of id: TransferID, attempt number: Int? = nil) {
        for action in decided(event, id, number) { carryOut(action, id) }
    }

    /// Notifies an attempt that its transfer continues without it.
    ///
    /// Actions that release the transfer run a turn later: they must not run before the decision counts as being
    /// committed.
    func breakOff(_ id: TransferID) {
        let actions = decided(.breakOff, id, nil)
        let end = actions.firstIndex(of: .closeFile) ?? actions.endIndex
        for action in actions[..<end] { carryOut(action, id) }
        guard end < actions.endIndex else { return }
        registry.loop.startTask { for action in actions[end...] { self.carryOut(action, id) } }
    }

    /// Called when the transfer leaves the line: the file that is being opened is no longer needed.
    func abandonOpening(of id: TransferID) {
        if registry[id]?.run?.attempt.phase == .opening { breakOff(id) }
    }

    private func decided(_ event: AttemptEvent, _ id: TransferID, _ number: Int?) -> [AttemptAction] {
        guard let current = registry[id]?.run?.attempt.number, number ?? current == current else { return [] }
        updateFreeConnections(of: id)
        let actions = registry[id]?.run?.attempt.handle(event, now: registry.now()) ?? []
        counts.countBytes(of: id)
        return actions
    }

    private func carryOut(_ action: AttemptAction, _ id: TransferID) {
        switch action {
        case .begin(let offset): begin(id, offset: offset)
        case .fetch(let lane, let offset, let request): fetch(id, lane, offset, request)
        case .commitHoles: commitHoles(id)
        case .fetchPiece(let lane, let piece, let request): fetchPiece(id, lane, piece, request)
        case .fetchBeside(let lane, let piece, let beside): fetchPiece(id, lane, piece, beside)
        case .leave(let address, let failure): leaveAddress(id, address, failure)
        case .endAt(let lane, let byte):
            if let number = registry[id]?.run?.attempt.number {
                engine?.setEnd(RequestKey(id, attempt: number, lane: lane), byte)
            }
        case .send(let request, let offset): send(request, id, offset)
        case .stop(let lane):
            if let run = registry[id]?.run { engine?.stop(RequestKey(id, attempt: run.attempt.number, lane: lane)) }
        case .remember(let memory): registry[id]?.transfer.remembered(memory)
        case .acknowledge(let bytes): registry[id]?.transfer.acknowledged(bytes)
        case .store: store(id)
        case .commit: commit(id)
        case .keep: keep(id)
        case .hash(let span, let workers): hash(span, id, workers)
        case .stopHashing(let span):
            guard let hashing = registry[id]?.run?.hashing, hashing.span == span else { return }
            hashing.job.stop()
            registry[id]?.run?.hashing = nil
        case .authorize(let source, let rejecting): authorize(source, rejecting, id)
        case .conclude(let result, let reached, let madeAt): conclude(id, result, reached: reached, madeAt: madeAt)
        case .closeFile: closeFile(of: id)
        case .forget:
            counts.countEnd(of: id)
            keepers.forget(id)
            registry[id]?.run = nil
        case .goOn: goOn(id)
        }
    }
}
