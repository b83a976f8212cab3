// SPDX-License-Identifier: Apache-2.0

/// A check that the kernel has carried out the last request to stop or continue a process. It exists until the process
/// is seen in the requested state.
package struct SignalCheck: Sendable {
    private static let firstLook = 0.002
    private static let longestLook = 1.0
    /// Seconds after which a requested observation is overdue.
    private static let patience = 0.25
    /// Seconds until the first check of a process that has stopped itself, and the longest time for its shell.
    private static let shellLook = 1.0
    private static let longestShellLook = 8.0

    /// Seconds after which the process is checked.
    private var delay: Double
    /// When an observation is overdue.
    package private(set) var due: Double
    /// Whether it stopped itself, and its shell must notice that before it continues.
    private var isBehindTerminal: Bool
    /// Whether the opposite was requested and not yet observed: it may still happen, so an observation is repeated.
    private var isDoubtful: Bool

    private init(after delay: Double, isBehindTerminal: Bool = false, isDoubtful: Bool = false, _ turn: inout Turn) {
        turn.act(.observe(after: delay))
        self.delay = delay
        due = turn.uptime + delay + Self.patience
        self.isBehindTerminal = isBehindTerminal
        self.isDoubtful = isDoubtful
    }

    /// Requests that the process be stopped or continued, whatever `earlier` was still waiting for.
    package init(stopping: Bool, replacing earlier: SignalCheck?, _ turn: inout Turn) {
        turn.act(stopping ? .stop : .resume)
        self.init(after: Self.firstLook, isDoubtful: earlier != nil, &turn)
    }

    /// Requests that a process that has stopped itself continue when its shell has noticed that.
    package static func behindTerminal(_ turn: inout Turn) -> SignalCheck {
        turn.act(.resumeBehindTerminal)
        return SignalCheck(after: shellLook, isBehindTerminal: true, &turn)
    }

    /// The process was observed. Returns the remaining check, or nil if there is none.
    package func seen(isStopped: Bool, shouldBeStopped: Bool, _ turn: inout Turn) -> SignalCheck? {
        guard isStopped == shouldBeStopped else { return again(shouldBeStopped: shouldBeStopped, &turn) }
        return isDoubtful ? SignalCheck(after: Self.longestLook, &turn) : nil
    }

    /// Requests it once more.
    package func again(shouldBeStopped: Bool, _ turn: inout Turn) -> SignalCheck {
        let isLeftToShell = isBehindTerminal && !shouldBeStopped && delay < Self.longestShellLook
        if isLeftToShell {
            turn.act(.resumeBehindTerminal)
        } else {
            turn.act(shouldBeStopped ? .stop : .resume)
        }
        let next = isLeftToShell ? delay * 2 : min(delay * 2, Self.longestLook)
        return SignalCheck(after: next, isBehindTerminal: isLeftToShell, isDoubtful: isDoubtful, &turn)
    }
}
