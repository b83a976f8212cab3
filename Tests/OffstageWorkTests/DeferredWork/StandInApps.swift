// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageTestSupport

/// The actions and memory of apps' processes, however often the daemon dies.
final class AppWorld: Sendable {
    /// What happens to a task that an app is told to run.
    enum Conduct: Sendable {
        /// Its handler is entered and completes it.
        case completes
        /// Its handler is entered, and runs for as long as the daemon lives.
        case runsOn
        /// Its handler is not reached.
        case returns
        /// No report arrives while the daemon lives.
        case isSilent
    }

    struct Told: Sendable, Equatable {
        var number: UInt64
        var identifier: String
        var isResumed: Bool
    }

    struct State: Sendable {
        var told: [Told] = []
        /// How often the handler of each run was entered.
        var entered: [UInt64: Int] = [:]
        var completed: Set<UInt64> = []
        /// Whether the app has a process.
        var isAlive = true
        /// The conduct of the next runs, in order; later runs complete.
        var conducts: [Conduct] = []
        /// Whether each task is looked up in the store's file before its app is notified.
        var looksAtStore = false
        var isInFront = false
        /// What keeps the app from being launched; nil if nothing does.
        var hold: AppHold?
        var expired: [TaskExpiry] = []
        /// The entries about notifications in its story.
        var notes: [AppEntry.NotificationOutcome] = []
        /// How often the app was brought to the front.
        var openings = 0
    }

    let state = Monitor(State())
}

/// The lives of apps as deferred work sees them, without processes.
actor StandInApps: WorkApps {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let world: AppWorld
    private var taskSink: (@Sendable (TaskNotice, String) -> Void)?
    private var holdSink: (@Sendable (String, AppHold?) -> Void)?
    private var removalSink: (@Sendable (String) -> Void)?
    /// Called when an app is notified, before anything follows from it.
    private let onStart: @Sendable (UInt64) -> Void

    init(loop: EventLoop, world: AppWorld, onStart: @escaping @Sendable (UInt64) -> Void) {
        self.loop = loop
        self.world = world
        self.onStart = onStart
    }

    func startTask(_ launch: TaskLaunch, app: String) -> Bool { tell(launch, app, isResumed: false) }
    func resumeTask(_ launch: TaskLaunch, app: String) -> Bool { tell(launch, app, isResumed: true) }

    private func tell(_ launch: TaskLaunch, _ app: String, isResumed: Bool) -> Bool {
        onStart(launch.number)
        let number = launch.number
        let notices = world.state.withLock { world -> [TaskNotice] in
            world.told.append(.init(number: number, identifier: launch.identifier, isResumed: isResumed))
            // A process that has entered a handler knows the number, and never enters it again.
            let isKnown = world.entered[number] != nil
            let conduct = world.conducts.isEmpty ? .completes : world.conducts.removeFirst()
            switch conduct {
            case .isSilent: return []
            case .returns where !isKnown: return [.returned(number, "it ended too early")]
            case .completes, .returns, .runsOn:
                if !isKnown { world.entered[number] = 1 }
                guard conduct != .runsOn else { return [.entered(number)] }
                world.completed.insert(number)
                return [.entered(number), .ended(number, .completed(success: true))]
            }
        }
        let sink = taskSink
        // One turn later: the daemon is in the middle of something.
        loop.post { for notice in notices { sink?(notice, app) } }
        return true
    }

    func expireTask(_ number: UInt64, _ expiry: TaskExpiry, app: String) {
        world.state.withLock { $0.expired.append(expiry) }
        taskSink?(.ended(number, .expired(expiry, success: false)), app)
    }

    /// Changes whether the app may be launched.
    func setHold(_ hold: AppHold?, of app: String) {
        world.state.withLock { $0.hold = hold }
        holdSink?(app, hold)
    }

    /// A person has removed the app.
    func remove(_ app: String) { removalSink?(app) }

    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts? { nil }
    func register(_ facts: AppFacts) async -> Bool { true }
    func isRegistered(_ app: String) -> Bool { true }
    func name(of app: String) -> String { app }
    func waitUntilReady() async {}
    func isInFront(_ app: String) -> Bool { world.state.withLock(\.isInFront) }
    func hasLiveProcess(_ app: String) -> Bool { world.state.withLock(\.isAlive) }
    func ownRun(of app: String) -> OwnRun? { nil }
    func hold(of app: String) -> AppHold? { world.state.withLock(\.hold) }
    var isSettled: Bool { true }
    func waitUntilSettled(within seconds: Double) async -> Bool { true }
    func fetchInterval(of app: String) -> Double? { nil }
    func setFetchInterval(_ seconds: Double?, of app: String) async -> Bool { true }
    func bringToFront(_ app: String) { world.state.withLock { $0.openings += 1 } }
    func recordNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of app: String) {
        world.state.withLock { $0.notes.append(outcome) }
    }
    func setTaskSink(_ sink: @escaping @Sendable (TaskNotice, _ app: String) -> Void) { taskSink = sink }
    func setHoldSink(_ sink: @escaping @Sendable (_ app: String, AppHold?) -> Void) { holdSink = sink }
    func setRemovalSink(_ sink: @escaping @Sendable (_ app: String) -> Void) { removalSink = sink }
    func setNumberSink(_ sink: @escaping @Sendable (UInt64) -> Void) {}
}
