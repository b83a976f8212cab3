// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The wait of an app that stops itself at Ctrl-Z until its shell has taken the terminal. If it continued earlier, it
/// would be stopped again, or the shell would never notice the stop.
package struct ShellWait: Equatable {
    /// Seconds until the next check.
    package private(set) var pause = Self.backoff.first
    /// When the shell's time runs out, in seconds on the boot-time clock.
    private let end: Double

    /// Seconds that a shell has to take the terminal. One without job control never does, and its app continues.
    package static let patience = 10.0
    private static let backoff = Backoff(first: 0.001, longest: 0.05)

    package enum Step: Equatable {
        /// The app can continue behind its shell.
        case resume
        case lookAgain(after: Double, ShellWait)
        /// The app has not stopped itself in all that time.
        case giveUp
    }

    package init(from uptime: Double) { end = uptime + Self.patience }

    /// - Parameters:
    ///   - isStopped: whether the app's process is stopped.
    ///   - isInFront: whether its group still has the terminal; true without a terminal.
    ///   - uptime: the present time.
    /// - Returns: the next step.
    package func step(isStopped: Bool, isInFront: Bool, at uptime: Double) -> Step {
        let isOver = uptime >= end
        if isStopped, !isInFront || isOver { return .resume }
        if isOver { return .giveUp }
        var next = self
        next.pause = Self.backoff.delay(following: pause)
        return .lookAgain(after: pause, next)
    }
}
