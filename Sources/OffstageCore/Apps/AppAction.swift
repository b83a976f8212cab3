// SPDX-License-Identifier: Apache-2.0

/// Actions for an app, in this order. An action may be late, lost or doubled: `AppLife` repeats it until the kernel or
/// the process shows its effect.
package enum AppAction: Sendable, Equatable {
    /// Starts its executable with the recorded arguments, folder and environment, and `OFFSTAGE_LAUNCH` set to the token.
    case spawn(LaunchCause, token: String)
    case send(StageCommand)
    /// SIGSTOP to its group if it leads one, otherwise to its process tree; the freezer if it has a cgroup.
    case stop
    /// SIGCONT, or thaw.
    case resume
    /// Like `resume`, for an app that stopped itself at Ctrl-Z: once it is stopped *and* another group is in the
    /// terminal's foreground.
    case resumeBehindTerminal
    /// SIGKILL, to the whole group or tree.
    case kill
    /// Checks after so many seconds whether the process is stopped: `observed` follows. Replaces a check that has not
    /// been made.
    case observe(after: Double)
    /// Lowers its I/O priority and CPU weight in background.
    case setPriority(isBackground: Bool)
    /// Appends to its story. Nothing waits for this.
    case record(AppEntry)
    /// Makes the registration, and every entry before this, durable: `committed` follows.
    case persist
    /// Cancels all its transfers, with "the user force-quit the app" as the reason, before the request is answered.
    /// `transfersCancelled` follows.
    case cancelTransfers
    /// Delivers a session's events, which are withheld while the app is stopped or has not been called; nil for all
    /// sessions.
    case deliverEvents(session: String?)
    /// For the schedule of deferred work.
    case taskNotice(TaskNotice)
    /// Refuses a second process of the app that has connected. It prints a message and exits.
    case refuseSecondProcess(ProcessIdentity)
}
