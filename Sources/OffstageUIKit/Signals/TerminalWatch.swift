// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What the daemon is told of the terminal: a value, fed by `SignalWatch`.
///
/// A shell's `fg` sends no SIGCONT to a job that it believes running, so while the app is in background the terminal is
/// looked at from time to time, too.
package struct TerminalWatch: Sendable {
    /// Whether the app has gone at Ctrl-Z and has not been continued since.
    private var hasLeft = false
    /// Whether the process group was in front when it was last looked at.
    private var wasInFront: Bool

    package init(isInFront: Bool) { wasInFront = isInFront }

    /// Ctrl-Z.
    package mutating func left() -> StageReport {
        hasLeft = true
        wasInFront = false
        return .leftTerminal
    }

    /// The process was continued.
    ///
    /// - Parameters:
    ///   - isInFront: whether its group is in front now; nil for an app that is no terminal's.
    ///   - byShell: whether a process of the terminal's session has done so, and not the daemon.
    ///   - isInBackground: whether the app is in background.
    /// - Returns: what the daemon is to be told, if anything.
    package mutating func continued(isInFront: Bool?, byShell: Bool, isInBackground: Bool) -> StageReport? {
        // The daemon knows whether it is to run.
        let report: StageReport? = isInBackground ? .continued : nil
        guard let isInFront else { return report }
        let isExpected = hasLeft
        let hasChanged = isInFront != wasInFront
        hasLeft = false
        wasInFront = isInFront
        // Whoever continues an app that is not to run, as `bg` does, has it stopped again. A script that has no job control
        // leaves its group in front while an app of it is suspended: that the daemon continues the app for a while does not
        // mean that the person has come back.
        let isContradiction = isInFront ? byShell && isInBackground : byShell || isInBackground
        return isExpected || hasChanged || isContradiction ? .terminal(isInFront: isInFront) : report
    }

    /// The terminal was looked at.
    package mutating func looked(isInFront: Bool) -> StageReport? {
        guard isInFront != wasInFront else { return nil }
        wasInFront = isInFront
        return .terminal(isInFront: isInFront)
    }
}
