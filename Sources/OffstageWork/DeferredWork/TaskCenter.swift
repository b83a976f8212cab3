// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// Carries deferred work out: takes requests of apps into the store, asks `TaskSchedule` what may run, has the apps' lives
/// run it, and keeps what became of it.
///
/// Runs on the daemon's loop and never waits for the disk there. What is decided is in memory at once, and goes to the
/// store in the same order; answers, and the word to an app that it is to run something, wait until it is there.
package actor TaskCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let queue: any WorkTransfers
    let apps: any WorkApps
    /// For what takes long.
    let workers: WorkerPool
    let store: any TaskStore
    let ledger: Ledger<TaskChange>
    let clock: SystemClock
    let policy: TaskPolicy
    let log: @Sendable (String) -> Void
    private let alarm: EventLoop.Alarm

    /// Sends what becomes of tasks to a connection, on the loop.
    private(set) var send: (@Sendable (TaskEvent, ConnectionID) -> Void)?

    /// See `setErrandSink`.
    private(set) var errandSink: (@Sendable (TaskNotice, String) -> Void)?
    private(set) var errandRemovalSink: (@Sendable (String) -> Void)?

    var schedule: TaskSchedule
    var nextNumber: UInt64
    /// Tasks that were begun.
    var runs: [UInt64: TaskRun] = [:]
    /// How many runs have ended in this daemon's time, or were interrupted.
    var endings = 0
    /// Who is at the other end of the connections that have asked for something as an app.
    var clients: [ConnectionID: Task<AppFacts?, Never>] = [:]
    var refusals = TaskRefusals()
    var watchers: Set<ConnectionID> = []
    /// Tasks whose progress has changed since watchers were told, and when they are told next.
    var unsettledProgress: Set<UInt64> = []
    var progressDue: Double?
    /// Says what the machine is like; what is pretended instead; and when the first was asked last, in seconds on the
    /// boot-time clock.
    let monitor: ConditionMonitor
    var pretended = PretendedConditions()
    /// The question what the network costs, while somebody waits for its answer.
    var meterAsking: Task<Bool?, Never>?
    var lastLook: Double
    /// What the kernel has said of the network.
    var paths = NetworkPaths()
    /// What transfers in line and running depend on.
    var transferNeeds: TransferNeeds = []
    /// What the schedule goes by.
    var toldConditions: MachineConditions
    private let monitorAlarm: EventLoop.Alarm
    /// Whoever waits until nothing is under way, and until when: seconds on the boot-time clock.
    var restWaiters: [(due: Double, continuation: CheckedContinuation<Void, Never>)] = []
    var isAdvancing = false
    var isReady = false
    var isStopping = false
    private var readyWaiters: [CheckedContinuation<Void, Never>] = []
    private var isAlarmStale = false

    /// - Parameters:
    ///   - loop: the daemon's.
    ///   - queue: for pauses, and to know when transfers are at rest.
    ///   - apps: whose lives run the tasks.
    ///   - workers: threads for what takes long.
    ///   - store: with every request that has not run.
    ///   - trouble: where a store that fails is waited for.
    ///   - clock: the loop's.
    ///   - policy: what the settings say.
    ///   - folder: on the disk that must not be full.
    ///   - lowDataMode: whether a person wants as little as possible to go over the network.
    ///   - log: writes a line to the daemon's log.
    /// - Throws: `StoreError` when the requests cannot be read.
    package init(
        loop: EventLoop,
        queue: any WorkTransfers,
        apps: any WorkApps,
        workers: WorkerPool,
        store: any TaskStore,
        trouble: StoreTrouble,
        clock: SystemClock,
        policy: TaskPolicy,
        folder: String,
        lowDataMode: Bool,
        log: @escaping @Sendable (String) -> Void
    ) throws(StoreError) {
        self.loop = loop
        self.queue = queue
        self.apps = apps
        self.workers = workers
        self.store = store
        ledger = Ledger(loop: loop, trouble: trouble, log: log) { changes throws(StoreError) in
            try await store.commit(tasks: changes)
        }
        self.clock = clock
        self.policy = policy
        self.log = log
        alarm = loop.makeAlarm()
        monitorAlarm = loop.makeAlarm()
        let monitor = ConditionMonitor(store: folder)
        monitor.isDataLow = lowDataMode
        let now = clock.now()
        lastLook = now.uptime
        toldConditions = monitor.conditions
        nextNumber = try store.nextTaskNumber()
        // Nothing begins before every app was found.
        var schedule = TaskSchedule(policy: policy.atRest, conditions: monitor.conditions, now: now)
        // What runs used in the time of the daemon before counts as much as what they use now.
        for use in try store.taskBudgets() { schedule.recall(use, now: now) }
        try store.forEachTask { record in _ = schedule.handle(.added(record), now: now) }
        self.schedule = schedule
        self.monitor = monitor
    }

    package func setServer(send: @escaping @Sendable (TaskEvent, ConnectionID) -> Void) { self.send = send }

    /// Who hears what comes of runs that this schedule has not begun, and that an app was removed, on the loop.
    func setErrandSink(
        notices: @escaping @Sendable (TaskNotice, String) -> Void,
        removals: @escaping @Sendable (String) -> Void
    ) {
        errandSink = notices
        errandRemovalSink = removals
    }

    /// A number for a run that this schedule knows nothing of.
    func makeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    package func start() {
        ledger.onRest { [weak self] in self?.assumeIsolated { $0.lookForRest() } }
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.alarmRang() } }
        loop.onAlarm(monitorAlarm) { [weak self] in self?.assumeIsolated { $0.lookAtMachine() } }
        if monitor.descriptor >= 0 {
            let watch = loop.watch(monitor.descriptor, events: offstage_epoll_in) { [weak self] _ in
                self?.assumeIsolated { $0.machineIsHeard() }
            }
            if watch == nil { log("power and load are not watched: they are only checked before each decision") }
        }
        let notices: @Sendable (TaskNotice, String) -> Void = { [weak self] notice, app in
            self?.assumeIsolated { $0.heard(notice, of: app) }
        }
        let holds: @Sendable (String, AppHold?) -> Void = { [weak self] app, hold in
            self?.assumeIsolated { $0.holdHasChanged(of: app, to: hold) }
        }
        let removals: @Sendable (String) -> Void = { [weak self] app in
            self?.assumeIsolated { $0.hasRemoved(app) }
        }
        let numbers: @Sendable (UInt64) -> Void = { [weak self] number in
            self?.assumeIsolated { $0.hasNumber(number) }
        }
        apps.assumeIsolated { apps in
            apps.setNumberSink(numbers)
            apps.setTaskSink(notices)
            apps.setHoldSink(holds)
            apps.setRemovalSink(removals)
        }
        let hold: @Sendable (TransferNeeds, String) -> TransferHold? = { [weak self] needs, host in
            self?.assumeIsolated { $0.hold(needs, host: host) }
        }
        let wish: @Sendable (TransferNeeds) -> Void = { [weak self] needs in
            self?.assumeIsolated { $0.watch(for: needs) }
        }
        queue.assumeIsolated { $0.setMachine(hold: hold, wish: wish) }
        setMonitorAlarm()
        loop.startTask { await restore() }
    }

    /// Leaves every task as it is, and returns when what is to be durable is, or cannot be.
    package func shutDown() async {
        isStopping = true
        await ledger.shutDown()
    }

    // MARK: The schedule

    /// Tells the schedule what has happened and does what follows.
    func step(_ event: TaskScheduleEvent) {
        let now = clock.now()
        lookIfUnheard(at: now)
        perform(schedule.handle(event, now: now), now: now)
        armAlarm()
    }

    func perform(_ actions: [TaskScheduleAction], now: Moment) {
        for action in actions {
            switch action {
            case .start(let number): begin(number, now: now)
            case .expire(let number, let expiry): expire(number, expiry)
            }
        }
    }

    // MARK: Time

    private func alarmRang() {
        let now = clock.now().uptime
        if let due = progressDue, due <= now { tellProgress() }
        for waiter in restWaiters where waiter.due <= now { waiter.continuation.resume() }
        restWaiters.removeAll { $0.due <= now }
        step(.timeIsUp)
    }

    /// Sets the alarm at the end of this turn of the loop, once for all that it has changed.
    func armAlarm() {
        guard !isAlarmStale else { return }
        isAlarmStale = true
        loop.post { [weak self] in self?.assumeIsolated { $0.setAlarm() } }
    }

    private func setAlarm() {
        isAlarmStale = false
        let next = schedule.nextLook
        let uptime = [next.uptime, progressDue, restWaiters.map(\.due).min()].compactMap { $0 }.min()
        loop.setAlarm(alarm, uptime: uptime, wall: next.wall)
        tellWishes()
    }

    /// What the kernel does not tell of the machine is looked at again then.
    func setMonitorAlarm() { loop.setAlarm(monitorAlarm, uptime: monitor.nextLook(after: clock.now().uptime)) }

    /// Seconds until anything in the daemon is due, looks at the machine aside: nobody advances time for these.
    var nextAlarm: Double? { loop.nextAlarm(besides: monitorAlarm) }

    /// Lets everything happen that this turn of the loop has brought about.
    func turn() async {
        await withCheckedContinuation { continuation in loop.post { continuation.resume() } }
    }

    // MARK: Readiness

    /// Waits until every request has been read and every app found.
    func waitUntilReady() async {
        if !isReady { await withCheckedContinuation { readyWaiters.append($0) } }
    }

    func hasBecomeReady() {
        isReady = true
        for waiter in readyWaiters { waiter.resume() }
        readyWaiters = []
    }
}

extension TaskPolicy {
    /// The same, with nothing to be begun.
    fileprivate var atRest: TaskPolicy {
        var policy = self
        policy.runningLimit = 0
        policy.runningContinuedLimit = 0
        return policy
    }
}
