// SPDX-License-Identifier: Apache-2.0

/// What is to be done for an app, in this order. Whatever may come late, twice or not at all is asked for again by
/// `AppLife` until the kernel or the process shows it.
package enum AppAction: Sendable, Equatable {
    /// Starts its executable with the recorded arguments, folder and environment, and `OFFSTAGE_LAUNCH` set to the token.
    case spawn(LaunchCause, token: String)
    case tell(StageCommand)
    /// SIGSTOP to its group if it leads one, else to its process tree; the freezer where it has one.
    case stop
    /// SIGCONT, or thaw.
    case resume
    /// As `resume`, for an app that stopped itself at Ctrl-Z: once it is stopped *and* the terminal's foreground group
    /// is another.
    case resumeBehindTerminal
    /// SIGKILL, to the whole group or tree.
    case kill
    /// Looks whether the process is stopped, after so many seconds: `observed` follows. Takes the place of a look that
    /// has not been taken.
    case observe(after: Double)
    /// In background its I/O priority and CPU weight are lowered.
    case setPriority(isBackground: Bool)
    /// Appends to its story; needs no waiting for.
    case record(AppEntry)
    /// Makes the registration, and every entry before this, durable: `committed` follows.
    case persist
    /// Cancels all its transfers, with "the user force-quit the app" as the reason; before what was asked is answered.
    /// `transfersCancelled` follows.
    case cancelTransfers
    /// The session's events, which are withheld while the app is stopped or not yet told of them, may go to it; nil for
    /// all sessions.
    case deliverEvents(session: String?)
    /// For the schedule of deferred work.
    case taskNotice(TaskNotice)
    /// The second process of the app that has connected is refused; it says so and exits.
    case refuseSecondProcess(ProcessIdentity)
}
