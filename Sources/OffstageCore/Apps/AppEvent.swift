// SPDX-License-Identifier: Apache-2.0

/// What happens to an app.
package enum AppEvent: Sendable, Hashable {
    // What people ask for.
    /// Launches it in foreground or background, or does what that means for one that runs.
    case launch(LaunchCause)
    /// To the front; launched if it does not run.
    case foreground
    /// The Home button.
    case background
    /// Swiped away.
    case quit(keepsTransfers: Bool)
    /// The system reclaims it.
    case terminate

    // What the machine does.
    /// Memory is short, and it is this app's turn to give up its own.
    case reclaim
    case memoryWarning

    // What its background sessions need.
    /// The session's last outstanding task has ended, or one needs an answer, and the delegate has not been told.
    case sessionNeedsApp(String)
    /// The session does not need it any more: the events were taken, or came to nothing.
    case sessionSettled(String)
    /// What `AppAction.cancelTransfers` asked for is durable, with what the process that was quit had still to hand over.
    case transfersCancelled

    // What the schedule of deferred work wants.
    /// The task is to run now: exactly one `TaskNotice.ended` or `.returned` follows, however late.
    case startTask(TaskLaunch)
    /// A daemon before has had the task run, and its handler was entered: it goes on if the app's process has it, and
    /// never begins anew there. One end follows, as of `startTask`.
    case resumeTask(TaskLaunch)
    /// A task that was started is to end.
    case expireTask(UInt64, TaskExpiry)

    // What its process does, as the kernel tells it.
    case spawned(ProcessIdentity)
    /// Why; whether it would be the same at another time, as with an executable that is gone.
    case spawnFailed(String, isForGood: Bool = false)
    /// It was seen to be stopped, or running.
    case observed(isStopped: Bool)
    case ended(ProcessEnd)

    // What its process says.
    /// A process has connected: a new one, or one that a daemon before has known. Of one that the daemon has launched
    /// `spawned` is told before.
    case attached(ProcessIdentity, StageView)
    case disconnected
    case report(StageReport)

    /// Everything that was asked to be made durable before this is; not told while some of it is still on its way.
    case committed
    /// The time of `AppLife.nextLook` has come.
    case timeIsUp
    /// The machine was suspended for so many seconds since the event before, and nothing ran.
    case machineSlept(Double)
    /// The daemon has just begun and read the store: what became of its process, nil when that is no more.
    case restored(isStopped: Bool?)
}
