// SPDX-License-Identifier: Apache-2.0
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

    let apps: any WorkApps
    /// For what takes long.
    let workers: WorkerPool
    let clock: SystemClock
    let policy: TaskPolicy
    let records: TaskRecords
    let machine: MachineWatch
    let time: TimeAdvance
    let clients: TaskClients
    let watchers: TaskWatchers
    let readiness = TaskReadiness()
    private let alarm: TurnAlarm
    var schedule: TaskSchedule
    var runs: TaskRuns
    /// See `setErrandSink`.
    private(set) var errands = TaskErrands()

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
    ///   - log: the daemon's.
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
        log: Log
    ) throws(StoreError) {
        self.loop = loop
        self.apps = apps
        self.workers = workers
        self.clock = clock
        self.policy = policy
        records = TaskRecords(loop: loop, store: store, trouble: trouble, clock: clock, log: log)
        machine = MachineWatch(
            loop: loop,
            queue: queue,
            clock: clock,
            folder: folder,
            lowDataMode: lowDataMode,
            log: log
        )
        time = TimeAdvance(loop: loop, queue: queue, apps: apps)
        clients = TaskClients(loop: loop, apps: apps)
        watchers = TaskWatchers(loop: loop)
        alarm = TurnAlarm(loop: loop)
        runs = TaskRuns(nextNumber: try store.nextTaskNumber())
        let now = clock.now()
        // Nothing begins before every app was found.
        var schedule = TaskSchedule(policy: policy.atRest, conditions: machine.conditions, now: now)
        // What runs used in the time of the daemon before counts as much as what they use now.
        for use in try store.taskBudgets() { schedule.recall(use, now: now) }
        try store.forEachTask { record in _ = schedule.handle(.added(record), now: now) }
        self.schedule = schedule
    }

    /// Who hears what comes of runs that this schedule has not begun, and that an app was removed, on the loop.
    func setErrandSink(
        notices: @escaping @Sendable (TaskNotice, String) -> Void,
        removals: @escaping @Sendable (String) -> Void
    ) {
        errands = TaskErrands(notice: notices, removal: removals)
    }

    /// A number for a run that this schedule knows nothing of.
    func makeNumber() -> UInt64 { runs.makeNumber() }

    /// An app remembers a run of this number.
    func hasNumber(_ number: UInt64) { runs.avoid(number) }

    /// - Parameter send: sends what becomes of tasks to a connection, on the loop.
    package func start(send: @escaping @Sendable (TaskEvent, ConnectionID) -> Void = { _, _ in }) {
        records.onRest { [weak self] in self?.assumeIsolated { $0.time.lookForRest() } }
        alarm.start(
            times: { [weak self] in self?.assumeIsolated { $0.nextLook() } ?? (nil, nil) },
            ring: { [weak self] in self?.assumeIsolated { $0.step(.timeIsUp) } }
        )
        watchers.start(
            row: { [weak self] number in self?.assumeIsolated { $0.row(number, now: $0.clock.now()) } },
            isRunning: { [weak self] number in self?.assumeIsolated { $0.runs[number] != nil } ?? false },
            send: send
        )
        time.start(
            TimeAdvance.Work(
                isAtRest: { [weak self] in self?.assumeIsolated { $0.isAtRest } ?? true },
                unfinished: { [weak self] in self?.assumeIsolated { $0.unfinished } ?? [] },
                nextAlarm: { [machine] in machine.nextOtherAlarm }
            )
        )
        hearOfApps()
        machine.start(
            needs: { [weak self] in self?.assumeIsolated { $0.needs } ?? MachineWatch.Needs() },
            changed: { [weak self] conditions in self?.assumeIsolated { $0.step(.conditions(conditions)) } }
        )
        loop.startTask { await restore() }
    }

    private func hearOfApps() {
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
    }

    /// Leaves every task as it is, and returns when what is to be durable is, or cannot be.
    package func shutDown() async {
        readiness.isStopping = true
        time.stop()
        await records.shutDown()
    }

    /// Waits until every request has been read and every app found.
    func waitUntilReady() async { await readiness.wait() }

    /// Returns when everything that was noted is durable.
    ///
    /// - Throws: `WireFailure` when the daemon ends first.
    func untilDurable() async throws(WireFailure) { try await records.untilDurable() }

    /// A connection is gone.
    package func connectionEnded(_ connection: ConnectionID) {
        clients.ended(connection)
        watchers.remove(connection)
    }

    // MARK: The schedule

    /// Tells the schedule what has happened and does what follows.
    func step(_ event: TaskScheduleEvent) {
        let now = clock.now()
        if let conditions = machine.lookIfUnheard(at: now) {
            perform(schedule.handle(.conditions(conditions), now: now), now: now)
        }
        perform(schedule.handle(event, now: now), now: now)
        alarm.changed()
    }

    private func perform(_ actions: [TaskScheduleAction], now: Moment) {
        for action in actions {
            switch action {
            case .start(let number): begin(number, now: now)
            case .expire(let number, let expiry): expire(number, expiry)
            }
        }
    }

    /// When the schedule is asked next, at the end of a turn that has changed it; what is heard of the machine follows
    /// from it, too.
    private func nextLook() -> TurnAlarm.Times {
        machine.wishesChanged()
        return schedule.nextLook
    }

    /// What has to be known of the machine for the schedule as it is.
    private var needs: MachineWatch.Needs {
        let numbers = schedule.runsOnIdleMachine
        let names = Set(numbers.compactMap { schedule.record($0)?.request.app })
        let runs = apps.assumeIsolated { apps in Set(names.compactMap { apps.ownRun(of: $0) }) }
        return MachineWatch.Needs(
            hasRequests: schedule.count > 0,
            asksForLoad: schedule.asksForLoad,
            ownRuns: numbers.isEmpty ? nil : runs
        )
    }

    // MARK: Changes

    /// Has a change made durable.
    ///
    /// - Parameters:
    ///   - change: what has changed in memory already.
    ///   - number: the task that watchers are told of then; nil for none.
    func note(_ change: TaskChange, of number: UInt64? = nil) {
        records.add(change)
        guard let number, !watchers.isEmpty else { return }
        records.whenDurable { self.watchers.tell(of: number) }
    }

    /// Whether nothing of deferred work is under way.
    private var isAtRest: Bool { records.isAtRest && runs.isAtRest(in: schedule) }

    /// A few tasks that are under way, as people read them.
    private var unfinished: [String] {
        runs.records(in: schedule).map(\.request).filter { $0.kind != .continued }.prefix(5)
            .map { "\($0.identifier.redactedControls) of \($0.app.redactedControls)" }
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
