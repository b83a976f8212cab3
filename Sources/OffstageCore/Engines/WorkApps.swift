// SPDX-License-Identifier: Apache-2.0

/// What deferred work and notifications need of the lives of apps. Calls on the loop do not change threads.
package protocol WorkApps: Actor {
    // MARK: Who an app is

    /// Which app is at the other end of a connection.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, where the kernel gives one out, else -1; closed here.
    /// - Returns: nil when the process has gone, or hides what it runs.
    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts?
    /// Registers the program's app if it is not, and returns when that is durable; false when the daemon ends first.
    func register(_ facts: AppFacts) async -> Bool
    func isRegistered(_ app: String) -> Bool
    /// What people call the app.
    func name(of app: String) -> String

    // MARK: How an app stands

    /// Waits until every app has been found.
    func waitUntilReady() async
    /// Whether the app is inactive or active.
    func isInFront(_ app: String) -> Bool
    /// Whether the app has a process, as far as is known; not before `waitUntilReady`.
    func hasLiveProcess(_ app: String) -> Bool
    /// What tells how much of the processors the app uses; nil without a process.
    func ownRun(of app: String) -> OwnRun?
    /// What keeps an app from being launched or woken for deferred work now.
    func hold(of app: String) -> AppHold?
    /// Whether no app is on its way anywhere.
    var isSettled: Bool { get }
    /// Waits until `isSettled`; false when so many seconds are over first, or the daemon ends.
    func waitUntilSettled(within seconds: Double) async -> Bool
    /// Seconds between two fetches in background; nil for none.
    func fetchInterval(of app: String) -> Double?
    /// Keeps the interval, and returns when that is durable; false when the daemon ends first.
    func setFetchInterval(_ seconds: Double?, of app: String) async -> Bool

    // MARK: What an app is to do

    /// Has a task run: exactly one `TaskNotice.ended` or `.returned` follows, perhaps before this returns.
    ///
    /// - Returns: false when no such app is registered; nothing follows then.
    func startTask(_ launch: TaskLaunch, app: String) -> Bool
    /// Has a task go on that a daemon before has had run; as `startTask`, but it never begins anew.
    func resumeTask(_ launch: TaskLaunch, app: String) -> Bool
    /// Has a task that was started told to end.
    func expireTask(_ number: UInt64, _ expiry: TaskExpiry, app: String)
    /// As a person does who clicks on what it shows.
    func bringToFront(_ app: String)
    /// Puts into an app's story what became of a notification.
    func noteNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of app: String)

    // MARK: Who is told, on the loop

    /// What becomes of the tasks of each app.
    func setTaskSink(_ sink: @escaping @Sendable (TaskNotice, _ app: String) -> Void)
    /// Whether an app may be launched or woken for deferred work: each hold there is, and every change.
    func setHoldSink(_ sink: @escaping @Sendable (_ app: String, AppHold?) -> Void)
    /// That an app was removed.
    func setRemovalSink(_ sink: @escaping @Sendable (_ app: String) -> Void)
    /// The highest number of a task that a process remembers which attaches.
    func setNumberSink(_ sink: @escaping @Sendable (UInt64) -> Void)
}
