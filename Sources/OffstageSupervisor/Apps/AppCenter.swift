// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageProtocol
package import OffstageRuntime

/// Carries the rules of `AppLife` out for all registered apps: what happens to an app is told to its rule, and what that
/// asks for is done with processes, the store and the sessions.
///
/// Runs on the daemon's loop and never waits for the disk or for an app there.
package actor AppCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let sessions: any AppSessions
    let store: any AppStore
    let ledger: Ledger<TransferChange>
    let trouble: StoreTrouble
    let paths: OffstagePaths
    let settings: Settings
    let clock: SystemClock
    let log: @Sendable (String) -> Void
    /// Takes the exit statuses of all children that have ended; on the loop.
    let reapAll: @Sendable () -> [(process: Int32, end: ProcessEnd)]
    /// Takes that of one child; nil when there is none.
    let reapOne: @Sendable (_ process: Int32) -> ProcessEnd?
    /// For what takes long, and never for ever.
    package let workers: WorkerPool
    /// For signals that have to look for a process's children first, and for cgroups: one thread, so that they stay in
    /// order.
    let signals: WorkerPool
    let crashes: CrashLedger
    /// Where cgroups are delegated to this user.
    let freezer: Freezer?
    private let alarm: EventLoop.Alarm

    /// Sends a command to a connection, on the loop.
    private(set) var send: (@Sendable (StageCommand, ConnectionID) -> Void)?
    /// Hangs up on a connection, on the loop.
    private(set) var hangUp: (@Sendable (ConnectionID) -> Void)?
    /// Takes what a connection's peer has sent before it ended, on the loop: `reported` is called meanwhile.
    private(set) var readRest: (@Sendable (ConnectionID) -> Void)?
    /// What deferred work is told: see `setTaskSink`, `setHoldSink` and `setRemovalSink`.
    var taskSink: (@Sendable (TaskNotice, String) -> Void)?
    var holdSink: (@Sendable (String, AppHold?) -> Void)?
    var numberSink: (@Sendable (UInt64) -> Void)?
    var removalSink: (@Sendable (String) -> Void)?

    var apps: [String: SupervisedApp] = [:]
    /// The apps of the connections that processes have attached by.
    var stages: [ConnectionID: SupervisedApp] = [:]
    /// Connections whose processes are being attached, with what they have reported meanwhile.
    var attaching: [ConnectionID: [StageReport]] = [:]
    /// Commands for connections whose attaching has not been answered.
    var heldCommands: [ConnectionID: [StageCommand]] = [:]
    var waiters: [UInt64: Waiter] = [:]
    var nextWaiter: UInt64 = 1
    /// Work on threads of its own that is waited for.
    var worksUnderWay: Set<UInt64> = []
    var nextWork: UInt64 = 1
    /// Children of this daemon that are apps.
    var children: Set<Int32> = []
    /// How they ended, until that is told.
    var childEnds: [Int32: ProcessEnd] = [:]
    var launchesUnderWay = 0
    /// The process that has just been launched, while its app is told.
    var launching: StageProcess?
    var chores: [Chore] = []
    /// Held so that its descriptor stays open.
    var memory: MemoryPressureMonitor?
    /// What sessions needed before every app was found again.
    var earlyNotices: [AppNotice] = []
    var isReady = false
    var isStopping = false

    private var events: [(app: SupervisedApp, event: AppEvent)] = []
    private var isHandling = false
    /// When each app wants to be looked at, if it does.
    private var looks: [String: Double] = [:]
    private var isAlarmStale = false
    /// For how long the machine was suspended, as far as the apps' rules were told.
    private var toldSuspension: Double

    package init(
        loop: EventLoop,
        sessions: any AppSessions,
        store: any AppStore,
        trouble: StoreTrouble,
        workers: WorkerPool,
        paths: OffstagePaths,
        settings: Settings,
        clock: SystemClock,
        freezer: Freezer?,
        crashes: CrashLedger,
        reapAll: @escaping @Sendable () -> [(process: Int32, end: ProcessEnd)],
        reapOne: @escaping @Sendable (_ process: Int32) -> ProcessEnd?,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.loop = loop
        self.sessions = sessions
        self.store = store
        self.trouble = trouble
        self.workers = workers
        signals = WorkerPool(threads: 1, staying: 0, substitute: workers)
        ledger = Ledger(loop: loop, trouble: trouble, log: log) { changes throws(StoreError) in
            try await store.commit(changes)
        }
        self.paths = paths
        self.settings = settings
        self.clock = clock
        self.freezer = freezer
        self.crashes = crashes
        self.reapAll = reapAll
        self.reapOne = reapOne
        self.log = log
        alarm = loop.makeAlarm()
        toldSuspension = clock.suspended()
    }

    package func setServer(
        send: @escaping @Sendable (StageCommand, ConnectionID) -> Void,
        hangUp: @escaping @Sendable (ConnectionID) -> Void,
        readRest: @escaping @Sendable (ConnectionID) -> Void
    ) {
        self.readRest = readRest
        self.send = send
        self.hangUp = hangUp
    }

    /// Leaves every app as it is, and returns when what is to be durable is.
    package func shutDown() async {
        isStopping = true
        // What has just been asked of the kernel begins with its token, by which the next daemon knows it.
        if launchesUnderWay > 0 { await wait(.launched, within: 2) }
        await ledger.shutDown()
        for waiter in waiters.values { waiter.continuation.resume(returning: false) }
        waiters = [:]
        signals.shutDown()
        workers.shutDown()
    }

    func policy(of app: String) -> AppLife.Policy {
        AppLife.Policy(
            time: settings.backgroundTime(of: app),
            isStrict: settings.strict,
            suspendGrace: settings.suspendGrace
        )
    }

    // MARK: Events

    /// Tells an app's rule what has happened and does what follows. What happens while that is being done is told next.
    func tell(_ event: AppEvent, to app: SupervisedApp) {
        if !isHandling { tellOfSleep() }
        events.append((app, event))
        guard !isHandling else { return }
        isHandling = true
        var next = 0
        while next < events.count {
            let (app, event) = events[next]
            next += 1
            step(app, event)
        }
        events.removeAll(keepingCapacity: events.capacity <= 64)
        isHandling = false
        armAlarm()
    }

    /// Before whatever has happened since: time in which nothing ran is held against nobody.
    private func tellOfSleep() {
        let suspension = clock.suspended()
        let seconds = suspension - toldSuspension
        guard seconds > Self.shortestSleep else { return }
        toldSuspension = suspension
        for app in apps.values where app.life.launchCause != nil { events.append((app, .machineSlept(seconds))) }
    }

    /// Seconds: more than may pass between the readings of two clocks on a busy machine.
    private static let shortestSleep = 0.1

    private func step(_ app: SupervisedApp, _ event: AppEvent) {
        let before = app.life.state
        let registration = app.life.registration
        let now = clock.now()
        let actions = Doing.named(.app, .leadingOn, app.id) {
            app.life.handle(event, now: now, token: Self.randomToken())
        }
        if Self.hasEnded(registration, app.life.registration) { app.endings += 1 }
        adoptProcess(of: app)
        // First: what comes back is not to be begun again while it may not.
        tellHold(of: app)
        for action in actions { perform(action, for: app) }
        if app.life.state != before {
            app.since = now.wall
            // Used is what was in front until now, or is woken.
            if before.isInFront || app.life.state.isInFront || before == .suspended { noteUse(of: app, at: now.uptime) }
            if app.life.state == .terminated { hasTerminated(app) }
        }
        looks[app.id] = app.life.nextLook
        happened(to: app)
    }

    /// Whether the process that there was, or the one that was about to be, is no more.
    private static func hasEnded(_ before: AppRegistration, _ after: AppRegistration) -> Bool {
        if let process = before.process { return after.process?.identity != process.identity }
        return before.launchToken != nil && after.launchToken != before.launchToken && after.process == nil
    }

    /// Plain programs of the same name are nobody's to withhold anything from.
    private func hasTerminated(_ app: SupervisedApp) {
        deliver(app, session: nil)
        guard let cgroup = app.cgroup else { return }
        app.cgroup = nil
        signals.submit { [freezer] in freezer?.remove(cgroup) }
    }

    private static func randomToken() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    }

    // MARK: Time

    package func start() {
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.alarmRang() } }
        let sink: @Sendable (AppNotice) -> Void = { [weak self] notice in
            self?.assumeIsolated { $0.heard(notice) }
        }
        sessions.assumeIsolated { $0.setAppSink(sink) }
        loop.startTask { await restore() }
    }

    private func alarmRang() {
        let now = clock.now().uptime
        for (id, due) in looks where due <= now {
            looks[id] = nil
            guard let app = apps[id] else { continue }
            // Time that a person spends at a breakpoint is not held against the app, unless it is to end; where nothing holds
            // it, its states go on.
            if !app.life.isEnding, !app.life.isAboutToBeSuspended, isDebugged(app) {
                looks[id] = now + Self.debuggerPause
            } else {
                tell(.timeIsUp, to: app)
            }
        }
        let due = chores.filter { $0.due <= now }
        chores.removeAll { $0.due <= now }
        for chore in due { attend(to: chore) }
        stopWaiting(at: now)
        armAlarm()
    }

    /// Sets the alarm at the end of this turn of the loop, once for all that it has changed.
    func armAlarm() {
        guard !isAlarmStale else { return }
        isAlarmStale = true
        loop.post { [weak self] in self?.assumeIsolated { $0.setAlarm() } }
    }

    private func setAlarm() {
        isAlarmStale = false
        let earliest = [
            looks.values.min(), chores.lazy.map(\.due).min(), waiters.values.lazy.compactMap(\.due).min(),
        ].compactMap { $0 }.min()
        loop.setAlarm(alarm, uptime: earliest)
    }

    func forgetLook(of app: String) { looks[app] = nil }
}

extension LifeState {
    fileprivate var isInFront: Bool { self == .inactive || self == .active }
}
