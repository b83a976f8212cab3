// SPDX-License-Identifier: Apache-2.0

/// The one rule for what an app could not get from its daemon: a connection, or a role on it. Says when to try again, and
/// whether those who wait are told why they have to. A value.
package struct LinkBackoff: Sendable, Equatable {
    package struct Verdict: Sendable, Equatable {
        /// Seconds until the next try.
        package var pause: Double
        /// Whether those who wait are told of the failure.
        package var isTold: Bool
    }

    /// Seconds for which failures that may be over at the next try are kept from those who wait, and for which tries
    /// follow one another quickly: a daemon that was killed is back in a moment, one that is not installed is not.
    package static let forbearance = 3.0
    private static let shortestPause = 0.01
    private static let longestPauseAtFirst = 0.25
    private static let longestPause = 30.0
    /// A daemon may die while it is greeted, and another is there a moment later. Whoever was told would take that for
    /// the end: a task would fail, or be given a number that an older one has.
    private static let passing: Set<OffstageError.Code> = [.connectionLost, .shuttingDown, .daemonDidNotStart]

    /// When tries began to fail; nil while they succeed.
    private var failingSince: Double?
    private var pause = 0.0

    package init() {}

    /// A try has failed.
    ///
    /// - Parameters:
    ///   - code: why.
    ///   - now: seconds on a clock that does not jump.
    /// - Returns: what comes of it.
    package mutating func failed(_ code: OffstageError.Code, now: Double) -> Verdict {
        let began = failingSince ?? now
        failingSince = began
        let isLasting = now - began >= Self.forbearance
        pause = min(max(pause * 2, Self.shortestPause), isLasting ? Self.longestPause : Self.longestPauseAtFirst)
        return Verdict(pause: pause, isTold: isLasting || !Self.passing.contains(code))
    }

    /// A try has succeeded, or nobody needs another.
    package mutating func succeeded() { self = LinkBackoff() }
}
