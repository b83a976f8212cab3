// SPDX-License-Identifier: Apache-2.0

/// The progress last reported for an attempt, and the time since which nothing has moved.
package struct AttemptActivity: Sendable {
    /// The byte that was last reported.
    package private(set) var reported: Int64
    /// When something last moved.
    package private(set) var last: ContinuousClock.Instant
    private var seen: Int64 = 0

    package init(offset: Int64, now: ContinuousClock.Instant) {
        reported = offset
        last = now
    }

    /// Records whether the attempt is alive.
    ///
    /// - Parameters:
    ///   - count: a number that grows with each byte moved, in either direction.
    ///   - now: the current time.
    package mutating func record(_ count: Int64, now: ContinuousClock.Instant) {
        guard count != seen else { return }
        seen = count
        last = now
    }

    /// Records an event that ends the silence but was not caused by the server.
    package mutating func touch(now: ContinuousClock.Instant) { last = now }

    /// Records the byte that the attempt has reached and is about to report.
    package mutating func report(_ reached: Int64) { reported = reached }
}
