// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import OffstageCore
package import OffstageRuntime

/// Carries out the rules of `AppLife` for all registered apps: passes each event to the app's rule, and performs its
/// actions with processes, the store and the sessions.
///
/// Runs on the daemon's loop, where it never waits for the disk or for an app.
package actor AppCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let settings: Settings
    let clock: SystemClock
    let sessions: SessionsOfApps
    let records: AppRecords
    let control: ProcessControl
    let watch: ProcessWatch
    let launches: AppLaunches
    let stages = StageLinks()
    let waiting: AppWaiting
    let agenda: AppAgenda
    /// The sinks for deferred work: see `setTaskSink`, `setHoldSink`, `setNumberSink` and `setRemovalSink`.
    var work = WorkListener()
    var apps = AppRoster()
    var readiness = AppReadiness()
    private let events: AppEvents

    package init(
        loop: EventLoop,
        sessions: any AppSessions,
        store: any AppStore,
        trouble: StoreTrouble,
        workers: WorkerPool,
        paths: OffstagePaths,
        settings: Settings,
        clock: SystemClock,
        host: any ProcessHost = KernelProcesses(),
        freezer: Freezer?,
        crashes: CrashMemory,
        reapAll: @escaping @Sendable () -> [(process: Int32, end: ProcessEnd)],
        reapOne: @escaping @Sendable (_ process: Int32) -> ProcessEnd?,
        chronicle: ChronicleRecorder = ChronicleRecorder(),
        log: Log
    ) {
        self.loop = loop
        self.settings = settings
        self.clock = clock
        self.sessions = SessionsOfApps(sessions)
        records = AppRecords(loop: loop, store: store, trouble: trouble, chronicle: chronicle)
        control = ProcessControl(loop: loop, host: host, freezer: freezer, workers: workers, log: log)
        waiting = AppWaiting(loop: loop)
        agenda = AppAgenda(loop: loop)
        watch = ProcessWatch(
            loop: loop,
            clock: clock,
            host: host,
            control: control,
            agenda: agenda,
            records: records
        )
        events = AppEvents(clock: clock)
        launches = AppLaunches(
            waiting: waiting,
            control: control,
            host: host,
            crashes: crashes,
            reaper: AppLaunches.Reaper(all: reapAll, one: reapOne),
            workers: workers,
            paths: paths,
            log: log
        )
    }

    /// - Parameter server: the actions on connections.
    package func start(_ server: StageLinks.Server) {
        stages.start(server)
        waiting.start { [weak self] milestone in self?.assumeIsolated { $0.hasReached(milestone) } ?? false }
        agenda.start { [weak self] in self?.assumeIsolated { $0.timeIsUp() } }
        watch.start { [weak self] event, id in
            self?.assumeIsolated { center in
                if let app = center.apps[id] { center.send(event, to: app) }
            }
        }
        sessions.start { [weak self] notice in self?.assumeIsolated { $0.receive(notice) } }
        loop.startTask { await restore() }
    }

    /// Leaves every app as it is, and returns when all changes are durable.
    package func shutDown() async {
        readiness.isStopping = true
        // A launch under way has its token, which the next daemon finds it by.
        if launches.areUnderWay { await waiting.wait(for: .milestone(.launched), within: 2) }
        await records.shutDown()
        waiting.giveUp()
        control.shutDown()
    }

    private func hasReached(_ milestone: AppWaiting.Milestone) -> Bool {
        switch milestone {
        case .ready: readiness.isReady
        case .launched: !launches.areUnderWay
        case .settled: isSettled
        }
    }

    package func waitUntilReady() async { await waiting.wait(for: .milestone(.ready)) }

    func policy(of app: String) -> AppLife.Policy {
        AppLife.Policy(
            time: settings.backgroundTime(of: app),
            isStrict: settings.strict,
            suspendGrace: settings.suspendGrace
        )
    }

    /// The host of the apps' processes.
    var host: any ProcessHost { control.host }

    // MARK: Events

    /// Passes an event to an app's rule and performs the actions. Events that occur in the meantime follow.
    func send(_ event: AppEvent, to app: SupervisedApp) {
        events.add(event, to: app, among: apps.all)
        events.handle { step($0, $1) }
    }

    private func step(_ app: SupervisedApp, _ event: AppEvent) {
        let before = app.life.state
        let registration = app.life.registration
        let now = clock.now()
        let actions = Doing.named(.app, .leadingOn, app.id) {
            app.life.handle(event, now: now, token: .launchToken())
        }
        if registration.hasEnded(in: app.life.registration) { app.endings += 1 }
        adoptProcess(of: app)
        // First, because returned work must not start again while it is held.
        reportHold(of: app)
        for action in actions { perform(action, for: app) }
        if app.life.state != before {
            app.since = now.wall
            apps.left(before, app)
            // An app counts as used when it leaves the front or is woken.
            if before.isInFront || app.life.state.isInFront || before == .suspended {
                recordUse(of: app, at: now.uptime)
            }
            if app.life.state == .terminated { hasTerminated(app) }
        }
        let state = app.life.state
        records.chronicle.stand(state == .terminated ? nil : .app(app.id, state), in: .app(app.id), at: now.wall)
        agenda.setLook(at: app.life.nextLook, of: app.id)
        waiting.happened(to: app)
    }

    /// Handles the end of an app: nothing is withheld from plain programs of the same name.
    private func hasTerminated(_ app: SupervisedApp) {
        sessions.deliver(to: app, session: nil)
        if let cgroup = app.cgroup { control.remove(cgroup) }
        app.cgroup = nil
    }

    private func timeIsUp() {
        let now = clock.now().uptime
        for id in agenda.takeDueLooks(at: now) {
            guard let app = apps[id] else { continue }
            // Time at a breakpoint does not count against the app, unless it must end; without a hold its states
            // continue.
            if !app.life.isEnding, !app.life.isAboutToBeSuspended, isDebugged(app) {
                agenda.setLook(at: now + Self.debuggerPause, of: id)
            } else {
                send(.timeIsUp, to: app)
            }
        }
        for chore in agenda.takeDueChores(at: now) {
            if let app = apps[chore.app] { watch.attend(to: chore, of: app) }
        }
    }

    /// Seconds between checks whether a debugger has released an app.
    private static let debuggerPause = 1.0

    // MARK: Registrations

    /// The app, registering it now if necessary.
    func registered(_ facts: AppFacts) -> SupervisedApp { apps[facts.app] ?? register(facts.registration) }

    func register(_ registration: AppRegistration) -> SupervisedApp {
        let app = SupervisedApp(AppLife(registration, policy: policy(of: registration.id)))
        apps[app.id] = app
        records.add(AppEntry(at: clock.now(), .registered), to: app)
        persist(app)
        return app
    }

    /// Makes the registration durable, with every entry before it, and then notifies the app's rule.
    func persist(_ app: SupervisedApp) {
        records.put(app) { app in
            self.send(.committed, to: app)
            // Even if there was no action, a caller may be waiting for this.
            self.waiting.happened(to: app)
        }
    }

    /// Waits until all changes of an app are durable; false if the daemon stops first, or a connection ends.
    func waitUntilDurable(_ app: SupervisedApp) async -> Bool {
        await waiting.wait(for: .app(app) { self.records.isDurable($0) })
    }
}
