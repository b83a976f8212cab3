// SPDX-License-Identifier: Apache-2.0

/// The daemon's commands to an app's process, carried out on its main thread, in order.
///
/// Times are seconds on `CLOCK_BOOTTIME`.
package enum StageCommand: Sendable, Hashable, Codable {
    /// `applicationWillEnterForeground`, `applicationDidBecomeActive`; answered with `StageReport.state(.active)`.
    case enterForeground
    /// `applicationWillResignActive` if it was active, `applicationDidEnterBackground` if it was in front; answered
    /// with `StageReport.state(.background)` when the last call has returned. An app that was suspended only gets new
    /// time.
    case enterBackground(timeEnds: Double)
    /// How long the app may run in background; nil in foreground. The basis of `backgroundTimeRemaining`.
    case backgroundTime(ends: Double?)
    /// Runs the expiration handlers of all open background tasks; answered with `StageReport.expired`.
    case expire
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`; answered with `.announced` when it has
    /// returned and `.handled` when the completion handler was called.
    case handleEvents(session: String, timeEnds: Double)
    /// Calls the handler that is registered for the task's identifier, on its own queue; answered with `.taskEntered`
    /// just before the call, or `.taskUnclaimed`. The time ends at `timeEnds`; nil for no limit.
    case startTask(TaskLaunch, timeEnds: Double?)
    /// Calls the running task's expiration handler; without one it is completed without success.
    case expireTask(UInt64, TaskExpiry)
    /// Nothing holds the app any more. Answered with `StageReport.finishing`, and with `.readyToSuspend` once the code
    /// now running in the library's calls has returned. The number distinguishes successive questions. Carried out
    /// alongside the main thread's commands.
    case prepareToSuspend(Int)
    /// `applicationDidReceiveMemoryWarning`.
    case memoryWarning
    /// `applicationWillTerminate`, then exit.
    case terminate

    /// The name of the frame that carries one.
    package static let name = "stage"
}
