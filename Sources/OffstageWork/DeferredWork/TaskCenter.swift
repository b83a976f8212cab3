// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// Carries out deferred work: stores apps' requests, asks `TaskSchedule` which of them may run, passes those to the
/// apps' life cycles, and records the outcomes.
///
/// Runs on the daemon's loop, where it never waits for the disk. Decisions are in memory immediately, and are stored in
/// the same order. Answers, and commands to apps, wait until they are durable.
package actor TaskCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let apps: any WorkApps
    /// Workers for long tasks.
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
    ///   - loop: the daemon's loop.
    ///   - queue: used for pauses, and to check whether transfers are at rest.
    ///   - apps: the apps whose life cycles run the tasks.
    ///   - workers: threads for long work.
    ///   - store: contains every request that has not run.
    ///   - trouble: waits while the store fails.
    ///   - clock: the loop's clock.
    ///   - policy: the policy of the settings.
    ///   - folder: a folder on the disk that must not be full.
    ///   - sources: the sources of the machine's conditions.
    ///   - lowDataMode: whether a person wants to use the network as little as possible.
    ///   - chronicle: records runs, and the machine's conditions.
    ///   - log: the daemon's log.
    /// - Throws: `StoreError` if the requests cannot be read.
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
        sources: MachineSources,
        lowDataMode: Bool,
        chronicle: ChronicleRecorder = ChronicleRecorder(),
        log: Log
    ) throws(StoreError) {
        self.loop = loop
        self.apps = apps
        self.workers = workers
        self.clock = clock
        self.policy = policy
        records = TaskRecords(
            loop: loop,
            store: store,
            trouble: trouble,
            chronicle: chronicle,
            clock: clock
        )
        machine = MachineWatch(
            loop: loop,
            queue: queue,
            clock: clock,
            folder: folder,
            sources: sources,
            lowDataMode: lowDataMode,
            chronicle: chronicle,
            log: log
        )
        time = TimeAdvance(loop: loop, queue: queue, apps: apps)
        clients = TaskClients(loop: loop, apps: apps)
        watchers = TaskWatchers(loop: loop)
        alarm = TurnAlarm(loop: loop)
        let now = clock.now()
        runs = TaskRuns(nextNumber: try store.nextTaskNumber(), startedAt: now.uptime)
        // Nothing starts before all apps have been found.
        var schedule = TaskSchedule(policy: policy.atRest, conditions: machine.conditions, now: now)
        // Time used during the daemon before counts as much as time used now.
        for use in try store.taskBudgets() { schedule.recall(use, now: now) }
        try store.forEachTask { record in _ = schedule.handle(.added(record), now: now) }
        self.schedule = schedule
    }

    /// Sets the handlers for reports about runs that this schedule has not started, and for removed apps, on the loop.
    func setErrandSink(
        notices: @escaping @Sendable (TaskNotice, String) -> Void,
        removals: @escaping @Sendable (String) -> Void
    ) {
        errands = TaskErrands(notice: notices, removal: removals)
    }

    /// The numbers of requests.
    package var counts: (pending: Int, running: Int) {
        let running = schedule.underWay.count
        return (max(0, schedule.count - running), running)
    }

    /// A number for a run outside this schedule.
    func makeNumber() -> UInt64 { runs.makeErrandNumber() }

    /// Records that the store has an errand with this number.
    func keepErrand(_ number: UInt64) { runs.keepErrand(number) }

    /// Records that an app remembers a run with this number.
    func hasNumber(_ number: UInt64) { runs.avoid(number) }

    /// - Parameter send: sends events of tasks to a connection, on the loop.
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
        observeApps()
        machine.start(
            needs: { [weak self] in self?.assumeIsolated { $0.needs } ?? MachineWatch.Needs() },
            changed: { [weak self] conditions in self?.assumeIsolated { $0.step(.conditions(conditions)) } }
        )
        loop.startTask { await restore() }
    }

    private func observeApps() {
        let notices: @Sendable (TaskNotice, String) -> Void = { [weak self] notice, app in
            self?.assumeIsolated { $0.receive(notice, of: app) }
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

    /// Leaves every task as it is, and returns when all changes are durable, or cannot become so.
    package func shutDown() async {
        readiness.isStopping = true
        time.stop()
        await records.shutDown()
    }

    /// Waits until all requests have been read and all apps found.
    func waitUntilReady() async { await readiness.wait() }

    /// Returns when everything recorded is durable.
    ///
    /// - Throws: `WireFailure` if the daemon ends first.
    func untilDurable() async throws(WireFailure) { try await records.untilDurable() }

    /// Handles the end of a connection.
    package func connectionEnded(_ connection: ConnectionID) {
        clients.ended(connection)
        watchers.remove(connection)
    }

    // MARK: The schedule

    /// Passes an event to the schedule and performs the actions.
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

    /// The time of the schedule's next check, set at the end of a turn that has changed it. The watch on the machine
    /// depends on it, too.
    private func nextLook() -> TurnAlarm.Times {
        machine.wishesChanged()
        return schedule.nextLook
    }

    /// The conditions of the machine that the present schedule depends on.
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

    /// Makes a change durable.
    ///
    /// - Parameters:
    ///   - change: the change, already made in memory.
    ///   - number: the task whose watchers are notified afterwards; nil for none.
    func persist(_ change: TaskChange, of number: UInt64? = nil) {
        records.add(change)
        guard let number, !watchers.isEmpty else { return }
        records.whenDurable { self.watchers.notify(of: number) }
    }

    /// Whether no deferred work is under way.
    private var isAtRest: Bool { records.isAtRest && runs.isAtRest(in: schedule) }

    /// A few of the tasks under way, described for people.
    private var unfinished: [String] {
        runs.records(in: schedule).map(\.request).filter { $0.kind != .continued }.prefix(5)
            .map { "\($0.identifier.redactedControls) of \($0.app.redactedControls)" }
    }
}

extension TaskPolicy {
    /// The same policy, under which nothing starts.
    fileprivate var atRest: TaskPolicy {
        var policy = self
        policy.runningLimit = 0
        policy.runningContinuedLimit = 0
        return policy
    }
}
