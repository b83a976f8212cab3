// SPDX-License-Identifier: Apache-2.0

/// A deferred task that an app's process runs or should run.
struct TaskUnderWay: Sendable {
    var launch: TaskLaunch
    /// The time of the request or, once its process was notified, of the notification.
    var since: Double
    /// Whether the process was asked to start it.
    var isTold = false
    /// Whether its handler is known to have been entered.
    var hasEntered = false
    /// Whether its handler was entered under an earlier daemon, and the process has not confirmed since that it has the
    /// task.
    var isDoubtful = false
    /// Whether it was found in a process, and the schedule has not asked for it: only its number is known.
    var isAdopted = false
    /// The end of its time; nil before it is notified, and for no limit.
    var until: Double?
    /// The end of the present wait: until the process can be notified, is connected again, or the schedule requests an
    /// adopted task.
    var waitsUntil: Double?
    /// Why it was asked to end; nil if it was not.
    var expiry: TaskExpiry?
    /// Seconds after which its process was killed because of this task.
    var killedAfter: Double?
    /// Whether a person has quit the app in the meantime.
    var isQuit = false

    init(_ launch: TaskLaunch, since: Double) {
        self.launch = launch
        self.since = since
    }

    /// A task that was found in a process.
    static func adopted(_ number: UInt64, hasEntered: Bool, _ turn: Turn) -> TaskUnderWay {
        let launch = TaskLaunch(number: number, identifier: "", kind: .processing, seconds: nil)
        var task = TaskUnderWay(launch, since: turn.uptime)
        task.isAdopted = true
        task.isTold = true
        task.hasEntered = hasEntered
        task.waitsUntil = turn.uptime + AppRun.returnTime
        return task
    }

    /// Whether a person has cancelled it.
    var isCancelled: Bool { expiry == .cancelledByPerson }

    var number: UInt64 { launch.number }
    var identifier: String { launch.identifier }

    /// How many seconds before the end of its time it is asked to end.
    func warning(_ policy: AppLife.Policy) -> Double {
        min(policy.time.warning, launch.seconds.map(BackgroundTimeProfile.warning) ?? policy.time.warning)
    }

    /// How it ends once its process has completed it.
    func ending(success: Bool) -> TaskEnding {
        expiry.map { .expired($0, success: success) } ?? .completed(success: success)
    }

    /// When something is next due for it in its app's process.
    func due(_ run: AppRun?, _ policy: AppLife.Policy) -> Double? {
        // A launch in background has its own time.
        if let waitsUntil { return run?.isBeingLaunched == true && run?.phaseEnds != nil ? nil : waitsUntil }
        // A command that the process cannot have received does not count against it.
        guard run?.isAttached == true, let until else { return nil }
        return expiry == nil ? until - warning(policy) : until
    }

    /// Time during which the app did not run does not count against it.
    mutating func makeUp(for pause: Double) {
        since += pause
        until = until.map { $0 + pause }
        waitsUntil = waitsUntil.map { $0 + pause }
    }
}
