// SPDX-License-Identifier: Apache-2.0

/// An event of an app.
package enum AppEvent: Sendable, Hashable {
    // Requests of people.
    /// Launches it in foreground or background, or has the same effect on a running app.
    case launch(LaunchCause)
    /// To the front; launched if it does not run.
    case foreground
    /// The Home button.
    case background
    /// Swiped away.
    case quit(keepsTransfers: Bool)
    /// The system reclaims it.
    case terminate

    // Events of the machine.
    /// Memory is short, and it is this app's turn to be reclaimed.
    case reclaim
    case memoryWarning

    // Needs of its background sessions.
    /// The session's last outstanding task has ended, or one needs an answer, and the delegate has not been notified.
    case sessionNeedsApp(String)
    /// The session no longer needs it: the events were received or became moot.
    case sessionSettled(String)
    /// The effect of `AppAction.cancelTransfers` is durable, including tasks that the ended process had not yet handed
    /// over.
    case transfersCancelled

    // Requests of the schedule of deferred work.
    /// Run the task now: exactly one `TaskNotice.ended` or `.returned` follows, however late.
    case startTask(TaskLaunch)
    /// An earlier daemon started the task, and its handler was entered. The task continues if the app's process has it,
    /// and never begins again there. One end follows, as for `startTask`.
    case resumeTask(TaskLaunch)
    /// End a task that was started.
    case expireTask(UInt64, TaskExpiry)

    // Events of its process, reported by the kernel.
    case spawned(ProcessIdentity)
    /// The reason, and whether it is permanent, such as a missing executable.
    case spawnFailed(String, isForGood: Bool = false)
    /// It was observed to be stopped or running.
    case observed(isStopped: Bool)
    case ended(ProcessEnd)

    // Reports of its process.
    /// A process has connected: a new one, or one known to an earlier daemon. If this daemon launched it, `spawned`
    /// comes first.
    case attached(ProcessIdentity, StageView)
    case disconnected
    case report(StageReport)

    /// All requested changes are durable. Not sent while any are still pending.
    case committed
    /// The time of `AppLife.nextLook` has come.
    case timeIsUp
    /// The machine was suspended for so many seconds since the previous event, and nothing ran.
    case machineSlept(Double)
    /// The daemon has just started and read the store. Nil if the app's process has ended.
    case restored(isStopped: Bool?)
}
