// SPDX-License-Identifier: Apache-2.0

/// The pauses for an app that crashes after every background launch and, in the strict profile, for one that is woken
/// repeatedly (Apple's rate limiter). A launch by a person, or coming to the front, ends both.
package struct LaunchBackoff: Sendable, Hashable, Codable {
    /// Consecutive background runs that ended in a crash.
    @Within<Counts> package private(set) var crashes = 0
    /// Wakes since the app was last in foreground.
    @Within<Counts> package private(set) var wakes = 0
    /// The time of the last crash or wake.
    package private(set) var last: Moment?

    private static let crashBackoff = Backoff(first: 5, longest: 3600)
    /// Between wakes in the strict profile.
    private static let wakeBackoff = Backoff(first: 60, longest: 3600)

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
        if crashes > 0 { pause = Self.crashBackoff.delay(after: crashes) }
        if isStrict, wakes > 1 { pause = max(pause, Self.wakeBackoff.delay(after: wakes - 1)) }  // checked: more than 1
        return Deadline(setAt: last, delay: pause).remaining(at: now)
    }
}
