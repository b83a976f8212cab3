// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageRuntime

/// Carries the rules of OffstageCore out for all transfers: decides in memory, commits, then acts.
///
/// Runs on the daemon's loop and never waits for the disk there. Of a transfer that only waits its turn it keeps its
/// place in line, and reads the rest from the store when the turn comes.
package actor TransferQueue {
    /// What the queue needs from the machine.
    package struct Environment: Sendable {
        package var now: @Sendable () -> Moment
        /// Whether a host can be reached from here at all.
        package var networkProblem: @Sendable (_ host: String) -> NetworkProblem?
        /// A random number from 0 up to 1.
        package var jitter: @Sendable () -> Double
        /// What clocks here show, for the schedule.
        package var zone: CivilZone
        /// Starts a shell command with these variables added to the environment, its output going nowhere.
        package var runCommand: @Sendable (_ command: String, _ directory: String, [String: String]) -> Void
        package var log: Log
        /// Runs a shell command and returns what it printed; nil when it failed.
        package var readCommand: @Sendable (_ command: String, [String: String]) async -> String?
        /// An access token for an account, to be sent to URLs below `places` alone, and for `owner` alone where somebody
        /// is named; `rejecting` one that the server did not take.
        package var token: TokenSource

        package typealias TokenSource =
            @Sendable (
                _ account: String, _ rejecting: String?, _ places: [String], _ owner: String?
            ) async -> Result<GrantedToken, TransferFailure>

        package init(
            now: @escaping @Sendable () -> Moment,
            networkProblem: @escaping @Sendable (String) -> NetworkProblem?,
            jitter: @escaping @Sendable () -> Double,
            runCommand: @escaping @Sendable (String, String, [String: String]) -> Void,
            log: Log,
            readCommand: @escaping @Sendable (String, [String: String]) async -> String?,
            zone: CivilZone = CivilZone(time: { _ in nil }, instant: { _ in nil }),
            token: @escaping TokenSource = { account, _, _, _ in .failure(.noAccount(account)) }
        ) {
            self.zone = zone
            self.token = token
            self.now = now
            self.networkProblem = networkProblem
            self.jitter = jitter
            self.runCommand = runCommand
            self.log = log
            self.readCommand = readCommand
        }
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let store: any SessionStore
    let trouble: StoreTrouble
    let alarm: EventLoop.Alarm
    let environment: Environment
    let settings: Settings
    let places: TransferPlaces
    let leftovers: TransferLeftovers
    let workers: WorkerPool
    let saver: FileSaver
    /// What is remembered of crashes.
    let crashes: CrashLedger
    /// Suspects wait here for their turn to be run alone.
    var trials = SuspectTrials()
    var engine: (any TransferEngine)?
    var machine = MachineNeeds()
    /// Who hears of background sessions' tasks.
    var sessionSink: (@Sendable (SessionNotice) -> Void)?
    var nextID: Int64
    var schedule: TransferSchedule
    var live: [TransferID: LiveTransfer] = [:]
    /// Who waits until no attempt has a transfer's file open.
    var fileWaiters: [TransferID: [CheckedContinuation<Void, Never>]] = [:]
    /// Reads under way, so that a transfer is never read twice at once.
    var loading: [TransferID: [CheckedContinuation<Void, Never>]] = [:]
    var deadlines: TransferDeadlines
    /// Waiting to try again after the way to a server broke: woken early when the network comes back.
    var waitingOnConnection: Set<TransferID> = []
    var observers = TransferObservers()
    var predecessors = PredecessorLooks()
    /// What is known of the files of uploads between their attempts.
    var digestCache = DigestCache()
    var limits: TransferLimits
    var largeBuffers = LargeBuffers()
    /// Files that were opened for attempts so far.
    var openings: UInt64 = 0
    /// Transfers whose attempt has ended and whose end is not in the store yet.
    var settling: Set<TransferID> = []
    var isStopping = false
    var pruning = PruneRule()

    /// How many transfers that only wait their turn are kept whole in memory.
    static let liveLimit = 4096
    /// Bytes that a download may be ahead of its last sync.
    static let syncInterval: Int64 = 64 << 20
    /// Transfers whose attempt may have ended before the store has it. Each is a save and two commits: with hundreds of
    /// them, whoever asks for something else would wait for all, and a crash would cost as many attempts.
    package static let settlingLimit = 32

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
        self.crashes = crashes
        self.loop = loop
        self.store = store
        self.trouble = trouble
        alarm = loop.makeAlarm()
        self.environment = environment
        self.settings = settings
        self.places = places
        self.nextID = nextID.rawValue
        workers = WorkerPool(threads: 3)
        saver = FileSaver(workers: workers)
        leftovers = TransferLeftovers(store: store, workers: workers, places: places)
        limits = TransferLimits(settings)
        schedule = restored.schedule
        deadlines = TransferDeadlines(restored.deadlines)
        initialTasks = restored.tasks
        initiallyRestored = restored.toBeAsked
    }

    /// Waiting and running transfers of the daemon before, to be read and asked what they need.
    var initiallyRestored: [TransferID]
    /// How many unfinished tasks the daemon before left, until somebody is told.
    private var initialTasks: [SessionName: Int]

    /// Takes up what the daemon before left, and starts whose turn it is.
    package func begin(with engine: any TransferEngine) {
        self.engine = engine
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.alarmRang() } }
        heedSchedule()
        armAlarm()
        fill()
        let ids = initiallyRestored
        initiallyRestored = []
        // All are looked at together below, before anything is forgotten that they come after.
        _ = predecessors.begin()
        loop.startTask {
            for start in stride(from: 0, to: ids.count, by: 256) {
                let chunk = Array(ids[start..<min(start + 256, ids.count)])
                await load(chunk)
                for id in chunk {
                    step(id) { $0.restored(now: $1) }
                    release(id)
                }
            }
            await lookAtPredecessors()
            await prune()
            leftovers.sweepResumable()
        }
    }

    /// What is handed over, with its JSON where that is there already.
    package struct HandedOver: Sendable {
        var spec: TransferSpec
        var json: [UInt8]?

        package init(_ spec: TransferSpec, json: [UInt8]? = nil) {
            self.spec = spec
            self.json = json
        }
    }

    /// Hands transfers over that are no JSON yet.
    package func submit(_ specs: [TransferSpec]) async throws -> [TransferID] {
        try await submit(specs.map { HandedOver($0) })
    }

    /// Hands transfers over: returns once they are durable, with their ids in order.
    package func submit(_ all: [HandedOver]) async throws -> [TransferID] {
        try await checkPredecessors(of: all.map(\.spec))
        try checkTargets(of: all.lazy.map(\.spec))
        let now = environment.now()
        let transfers = all.map { one in
            defer { nextID += 1 }
            return Transfer(id: TransferID(rawValue: nextID), spec: one.spec, now: now)
        }
        try await store.commit(zip(transfers, all).map { .insert($0, encodedSpec: $1.json) })
        tellTaken(transfers)
        for transfer in transfers {
            if live.count < Self.liveLimit { live[transfer.id] = LiveTransfer(transfer: transfer) }
            var fresh = transfer
            perform(fresh.restored(now: now), for: transfer)
            notifyChanged(transfer)
        }
        armAlarm()
        fill()
        return transfers.map(\.id)
    }

    /// Names who hears, on the loop, of background sessions' tasks.
    package func setSessionSink(_ sink: @escaping @Sendable (SessionNotice) -> Void) {
        sessionSink = sink
        if !initialTasks.isEmpty { sink(.taken(initialTasks)) }
        initialTasks = [:]
    }

    /// Names who knows what the machine is like.
    ///
    /// - Parameters:
    ///   - hold: what of the machine keeps who needs this from moving bytes to the host; nil for nothing.
    ///   - wish: has the machine watched for what those in line and those that run need, all together.
    package func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    ) {
        machine.hold = hold
        machine.wish = wish
        fill()
    }

    /// Whether there are threads to open and save files with.
    package nonisolated var hasThreads: Bool { workers.hasThreads }

    /// The limit of all transfers together, in bytes a second.
    package var rateLimit: Int64? { limits.rateLimit }

    /// What keeps the store from committing, as a sentence.
    package var storeNotice: String? { trouble.standing?.sentence }

    /// Begins nothing any more: called before what transfers wait for comes to its end.
    package func prepareToStop() { isStopping = true }

    /// Breaks everything off, keeps where it stood, and returns when all of it is durable.
    package func shutDown() async {
        isStopping = true
        for entry in live.values { entry.run?.hashing?.job.stop() }
        engine?.shutDown()
        for (id, entry) in live where entry.transfer.state.kind == .running && entry.isRunningStored {
            await persist(id)
        }
        workers.shutDown()
        saver.shutDown()
    }
}
