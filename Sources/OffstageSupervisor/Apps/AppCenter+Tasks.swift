// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// The interface of apps for the schedule of deferred work.
extension AppCenter: WorkApps {
    func setTaskSink(_ sink: @escaping @Sendable (TaskNotice, _ app: String) -> Void) { work.task = sink }

    func setHoldSink(_ sink: @escaping @Sendable (_ app: String, AppHold?) -> Void) {
        work.hold = sink
        if readiness.isReady { reportHolds() }
    }

    func setRemovalSink(_ sink: @escaping @Sendable (_ app: String) -> Void) { work.removal = sink }

    func setNumberSink(_ sink: @escaping @Sendable (UInt64) -> Void) { work.number = sink }

    /// Runs a task: exactly one `TaskNotice.ended` or `.returned` follows, perhaps before this returns.
    ///
    /// - Returns: false if no such app is registered, in which case no notice follows.
    func startTask(_ launch: TaskLaunch, app id: String) -> Bool {
        guard let app = apps[id] else { return false }
        send(.startTask(launch), to: app)
        return true
    }

    /// Continues a task that an earlier daemon started. Like `startTask`, but the task never starts over.
    func resumeTask(_ launch: TaskLaunch, app id: String) -> Bool {
        guard let app = apps[id] else { return false }
        send(.resumeTask(launch), to: app)
        return true
    }

    /// Asks a running task to end.
    func expireTask(_ number: UInt64, _ expiry: TaskExpiry, app id: String) {
        if let app = apps[id] { send(.expireTask(number, expiry), to: app) }
    }

    func isRegistered(_ id: String) -> Bool { apps[id] != nil }

    /// Whether the app is inactive or active.
    func isInFront(_ id: String) -> Bool {
        guard let state = apps[id]?.life.state else { return false }
        return state.isInFront
    }

    /// Whether the app is known to have a process; only valid after `waitUntilReady`.
    func hasLiveProcess(_ id: String) -> Bool { apps[id]?.life.process != nil }

    /// The meter of the app's processor time; nil without a process.
    func ownRun(of id: String) -> OwnRun? {
        apps[id]?.process.map { OwnRun(process: $0.identity, group: $0.cgroup) }
    }

    /// The reason why an app cannot be launched or woken for deferred work now.
    func hold(of id: String) -> AppHold? { apps[id]?.life.hold(at: clock.now()) }

    /// Seconds between two background fetches; nil for never.
    func fetchInterval(of id: String) -> Double? { apps[id]?.life.registration.fetchInterval }

    /// Stores the interval, and returns when it is durable; false if the daemon stops first.
    func setFetchInterval(_ seconds: Double?, of id: String) async -> Bool {
        guard let app = apps[id] else { return true }
        if app.life.registration.fetchInterval != seconds {
            app.life.keepFetchInterval(seconds)
            persist(app)
        }
        return await waitUntilDurable(app)
    }

    // MARK: Rest

    /// Whether no app is changing its state: each is suspended, in front or not running, has no task under way, and has
    /// no process with possible news being inspected.
    var isSettled: Bool {
        readiness.isReady && !launches.areUnderWay && waiting.isWithoutWork && apps.values.allSatisfy(\.life.isSettled)
    }

    /// Waits until `isSettled`; false if the seconds elapse or the daemon stops first.
    func waitUntilSettled(within seconds: Double) async -> Bool {
        await waiting.wait(for: .milestone(.settled), within: seconds)
    }

    // MARK: Holds

    func reportHolds() {
        for app in apps.values { reportHold(of: app) }
    }

    /// Reports nothing before all apps have been found.
    func reportHold(of app: SupervisedApp) {
        if readiness.isReady { work.reportHold(of: app, at: clock.now()) }
    }
}
