// SPDX-License-Identifier: Apache-2.0

/// Apps' life cycles, as deferred work and notifications need them. Calls on the loop do not change threads.
package protocol WorkApps: Actor {
    // MARK: Identity

    /// Identifies the app of a connection's peer.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, or -1 if the kernel provides none; closed here.
    /// - Returns: nil if the process has ended, or hides its program.
    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts?
    /// Registers the program's app if necessary, and returns when that is durable; false if the daemon stops first.
    func register(_ facts: AppFacts) async -> Bool
    func isRegistered(_ app: String) -> Bool
    /// The app's name for people.
    func name(of app: String) -> String

    // MARK: State

    /// Waits until every app has been found.
    func waitUntilReady() async
    /// Whether the app is inactive or active.
    func isInFront(_ app: String) -> Bool
    /// Whether the app is known to have a process. Call this only after `waitUntilReady`.
    func hasLiveProcess(_ app: String) -> Bool
    /// The meter of the app's processor time; nil without a process.
    func ownRun(of app: String) -> OwnRun?
    /// The reason why an app cannot be launched or woken for deferred work now.
    func hold(of app: String) -> AppHold?
    /// Whether no app is changing its state.
    var isSettled: Bool { get }
    /// Waits until `isSettled`; false after this many seconds, or if the daemon stops.
    func waitUntilSettled(within seconds: Double) async -> Bool
    /// Seconds between two background fetches; nil for never.
    func fetchInterval(of app: String) -> Double?
    /// Stores the interval, and returns when that is durable; false if the daemon stops first.
    func setFetchInterval(_ seconds: Double?, of app: String) async -> Bool

    // MARK: Requests to an app

    /// Runs a task: exactly one `TaskNotice.ended` or `.returned` follows, possibly before this function returns.
    ///
    /// - Returns: false if no such app is registered; no notice follows then.
    func startTask(_ launch: TaskLaunch, app: String) -> Bool
    /// Continues a task that an earlier daemon started; like `startTask`, but the task never begins again.
    func resumeTask(_ launch: TaskLaunch, app: String) -> Bool
    /// Asks a running task to end.
    func expireTask(_ number: UInt64, _ expiry: TaskExpiry, app: String)
    /// Acts as if a person had clicked the app's notification.
    func bringToFront(_ app: String)
    /// Adds the outcome of a notification to an app's story.
    func recordNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of app: String)

    // MARK: Notifications, on the loop

    /// Reports the outcomes of each app's tasks.
    func setTaskSink(_ sink: @escaping @Sendable (TaskNotice, _ app: String) -> Void)
    /// Reports whether an app may be launched or woken for deferred work: each current hold, and every change.
    func setHoldSink(_ sink: @escaping @Sendable (_ app: String, AppHold?) -> Void)
    /// Reports that an app was removed.
    func setRemovalSink(_ sink: @escaping @Sendable (_ app: String) -> Void)
    /// Reports the highest number of a request that an attaching process remembers.
    func setNumberSink(_ sink: @escaping @Sendable (UInt64) -> Void)
}
