// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decides what to report to the daemon about the terminal: a value, driven by `SignalWatch`.
///
/// A shell's `fg` sends no SIGCONT to a job that it believes is running, so the terminal is also checked from time to
/// time while the app is in the background.
package struct TerminalWatch: Sendable {
    /// Whether the app has been stopped with Ctrl-Z and has not been continued since.
    private var hasLeft = false
    /// Whether the process group was in the foreground at the last check.
    private var wasInFront: Bool

    package init(isInFront: Bool) { wasInFront = isInFront }

    /// Handles Ctrl-Z.
    package mutating func left() -> StageReport {
        hasLeft = true
        wasInFront = false
        return .leftTerminal
    }

    /// Handles the continuation of the process.
    ///
    /// - Parameters:
    ///   - isInFront: whether its process group is in the foreground now; nil for an app without a terminal.
    ///   - byShell: whether a process of the terminal's session has continued it, rather than the daemon.
    ///   - isInBackground: whether the app is in the background.
    /// - Returns: what to report to the daemon, if anything.
    package mutating func continued(isInFront: Bool?, byShell: Bool, isInBackground: Bool) -> StageReport? {
        // The daemon knows whether the app should run.
        let report: StageReport? = isInBackground ? .continued : nil
        guard let isInFront else { return report }
        let isExpected = hasLeft
        let hasChanged = isInFront != wasInFront
        hasLeft = false
        wasInFront = isInFront
        // An app that is continued although it should not run, as with `bg`, is stopped again. A script without job
        // control leaves its process group in the foreground while one of its apps is suspended: if the daemon
        // continues the app for a while, the person has not come back.
        let isContradiction = isInFront ? byShell && isInBackground : byShell || isInBackground
        return isExpected || hasChanged || isContradiction ? .terminal(isInFront: isInFront) : report
    }

    /// Handles a check of the terminal.
    package mutating func looked(isInFront: Bool) -> StageReport? {
        guard isInFront != wasInFront else { return nil }
        wasInFront = isInFront
        return .terminal(isInFront: isInFront)
    }
}
