// SPDX-License-Identifier: Apache-2.0

/// The pauses for an app that crashes after every background launch and, in the strict profile, for one that is woken
/// again and again (Apple's rate limiter). A launch by a person, or coming to the front, ends both.
package struct LaunchBackoff: Sendable, Hashable, Codable {
    /// Consecutive background runs that ended in a crash.
    @Within<Counts> package private(set) var crashes = 0
    /// Wakes since the app was last in foreground.
    @Within<Counts> package private(set) var wakes = 0
    /// The time of the last of either.
    package private(set) var last: Moment?

    /// Seconds after the first crash; doubled with each further one.
    package static let firstPause = 5.0
    package static let longestPause = 3600.0
    /// Seconds between the first two wakes in the strict profile; doubled with each further one.
    package static let strictFirstPause = 60.0

    package init() {}

    package mutating func crashed(at now: Moment) {
        crashes += 1
        last = now
    }

    package mutating func woken(at now: Moment) {
        wakes += 1
        last = now
    }

    /// A background run ended normally.
    package mutating func wentWell() { crashes = 0 }

    package mutating func cameToForeground() { self = LaunchBackoff() }

    /// Seconds until it may run in background again; 0 for now.
    package func pause(at now: Moment, isStrict: Bool) -> Double {
        guard let last else { return 0 }
        var pause = 0.0
        if crashes > 0 { pause = Self.doubled(Self.firstPause, crashes) }
        if isStrict, wakes > 1 { pause = max(pause, Self.doubled(Self.strictFirstPause, wakes - 1)) }
        return Deadline(setAt: last, delay: pause).remaining(at: now)
    }

    private static func doubled(_ first: Double, _ times: Int) -> Double {
        min(first * Double(1 << min(max(times, 1) - 1, 20)), longestPause)
    }
}
