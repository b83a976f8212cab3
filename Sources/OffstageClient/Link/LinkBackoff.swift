// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Decides, for whatever an app could not get from its daemon (a connection, or a role on it), when to try again and
/// whether to report the failure to those who wait. A value.
package struct LinkBackoff: Sendable, Equatable {
    package struct Verdict: Sendable, Equatable {
        /// Seconds until the next try.
        package var pause: Double
        /// Whether the failure is reported to those who wait.
        package var isTold: Bool
    }

    /// Seconds for which failures that may be over at the next try are not reported, and for which tries follow one
    /// another quickly: a daemon that was killed is back in a moment, one that is not installed is not.
    package static let forbearance = 3.0
    private static let atFirst = Backoff(first: 0.01, longest: 0.25)
    private static let later = Backoff(first: 0.01, longest: 30)
    /// A daemon may die during the greeting, and another may run a moment later. A caller that received the error would
    /// take it as final: a task would fail, or get a number that an older one has.
    private static let passing: Set<OffstageError.Code> = [.connectionLost, .shuttingDown, .daemonDidNotStart]

    /// When tries began to fail; nil while they succeed.
    private var failingSince: Double?
    private var pause = 0.0

    package init() {}

    /// Records that a try has failed.
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

    /// Resets the backoff: a try has succeeded, or nobody needs another.
    package mutating func succeeded() { self = LinkBackoff() }
}
