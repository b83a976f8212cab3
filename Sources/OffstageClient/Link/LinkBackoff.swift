// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Decides when to retry whatever an app could not get from its daemon (a connection, or a role on it), and whether to
/// report the failure to the waiters. A value.
package struct LinkBackoff: Sendable, Equatable {
    package struct Verdict: Sendable, Equatable {
        /// Seconds until the next attempt.
        package var pause: Double
        /// Whether to report the failure to the waiters.
        package var isTold: Bool
    }

    /// Seconds during which failures that the next attempt may resolve are not reported, and attempts follow one
    /// another quickly: a daemon that was killed is back in a moment; one that is not installed is not.
    package static let forbearance = 3.0
    private static let atFirst = Backoff(first: 0.01, longest: 0.25)
    private static let later = Backoff(first: 0.01, longest: 30)
    /// A daemon may die during the greeting, and another may be running a moment later. A caller that received the
    /// error would take it as final: a task would fail, or get a number that an older task has.
    private static let passing: Set<OffstageError.Code> = [.connectionLost, .shuttingDown, .daemonDidNotStart]

    /// When attempts began to fail; nil while they succeed.
    private var failingSince: Double?
    private var pause = 0.0

    package init() {}

    /// Records that an attempt has failed.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - now: seconds on a monotonic clock.
    /// - Returns: what to do.
    package mutating func failed(_ code: OffstageError.Code, now: Double) -> Verdict {
        let began = failingSince ?? now
        failingSince = began
        let isLasting = now - began >= Self.forbearance
        pause = (isLasting ? Self.later : Self.atFirst).delay(following: pause)
        return Verdict(pause: pause, isTold: isLasting || !Self.passing.contains(code))
    }

    /// Resets the backoff: an attempt has succeeded, or no other attempt is needed.
    package mutating func succeeded() { self = LinkBackoff() }
}
