// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// What the schedule of deferred work asks of apps, and is told of them.
extension AppCenter: WorkApps {
    func setTaskSink(_ sink: @escaping @Sendable (TaskNotice, _ app: String) -> Void) { work.task = sink }

    func setHoldSink(_ sink: @escaping @Sendable (_ app: String, AppHold?) -> Void) {
        work.hold = sink
        if readiness.isReady { tellHolds() }
    }

    func setRemovalSink(_ sink: @escaping @Sendable (_ app: String) -> Void) { work.removal = sink }

    func setNumberSink(_ sink: @escaping @Sendable (UInt64) -> Void) { work.number = sink }

    /// Has a task run: exactly one `TaskNotice.ended` or `.returned` follows, perhaps before this returns.
    ///
    /// - Returns: false when no such app is registered; nothing follows then.
    func startTask(_ launch: TaskLaunch, app id: String) -> Bool {
        guard let app = apps[id] else { return false }
        tell(.startTask(launch), to: app)
        return true
    }

    /// Has a task go on that a daemon before has had run; as `startTask`, but it never begins anew.
    func resumeTask(_ launch: TaskLaunch, app id: String) -> Bool {
        guard let app = apps[id] else { return false }
        tell(.resumeTask(launch), to: app)
        return true
    }

    /// Has a task that was started told to end.
    func expireTask(_ number: UInt64, _ expiry: TaskExpiry, app id: String) {
        if let app = apps[id] { tell(.expireTask(number, expiry), to: app) }
    }

    func isRegistered(_ id: String) -> Bool { apps[id] != nil }

    /// Whether the app is inactive or active.
    func isInFront(_ id: String) -> Bool {
        guard let state = apps[id]?.life.state else { return false }
        return state.isInFront
    }

    /// Whether the app has a process, as far as is known; not before `waitUntilReady`.
    func hasLiveProcess(_ id: String) -> Bool { apps[id]?.life.process != nil }

    /// What tells how much of the processors the app uses; nil without a process.
    func ownRun(of id: String) -> OwnRun? {
        apps[id]?.process.map { OwnRun(process: $0.identity, group: $0.cgroup) }
    }

    /// What keeps an app from being launched or woken for deferred work now.
    func hold(of id: String) -> AppHold? { apps[id]?.life.hold(at: clock.now()) }

    /// Seconds between two fetches in background; nil for none.
    func fetchInterval(of id: String) -> Double? { apps[id]?.life.registration.fetchInterval }

    /// Keeps the interval, and returns when that is durable; false when the daemon ends first.
    func setFetchInterval(_ seconds: Double?, of id: String) async -> Bool {
        guard let app = apps[id] else { return true }
        if app.life.registration.fetchInterval != seconds {
            app.life.keepFetchInterval(seconds)
            persist(app)
        }
        return await waitUntilDurable(app)
    }

    // MARK: Rest

    /// Whether no app is on its way anywhere: each is suspended, in front or not running, and has no task under way.
    /// Nor is a process being looked at that may have something to say.
    var isSettled: Bool {
        readiness.isReady && !launches.areUnderWay && waiting.isWithoutWork && apps.values.allSatisfy(\.life.isSettled)
    }

    /// Waits until `isSettled`; false when so many seconds are over first, or the daemon ends.
    func waitUntilSettled(within seconds: Double) async -> Bool {
        await waiting.wait(for: .milestone(.settled), within: seconds)
    }

    // MARK: Holds

    func tellHolds() {
        for app in apps.values { tellHold(of: app) }
    }

    /// Nothing before every app was found.
    func tellHold(of app: SupervisedApp) {
        if readiness.isReady { work.tellHold(of: app, at: clock.now()) }
    }
}
