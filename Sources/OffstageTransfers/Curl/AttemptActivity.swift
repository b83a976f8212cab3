// SPDX-License-Identifier: Apache-2.0

/// How far an attempt has been reported to have got, and since when nothing has moved.
package struct AttemptActivity: Sendable {
    /// The byte that was reported last.
    package private(set) var reported: Int64
    /// When something moved last.
    package private(set) var last: ContinuousClock.Instant
    private var seen: Int64 = 0

    package init(offset: Int64, now: ContinuousClock.Instant) {
        reported = offset
        last = now
    }

    /// Notes whether the attempt is alive.
    ///
    /// - Parameters:
    ///   - count: what grows with each byte that moves, in either direction.
    ///   - now: the time now.
    package mutating func note(_ count: Int64, now: ContinuousClock.Instant) {
        guard count != seen else { return }
        seen = count
        last = now
    }

    /// Something has happened that is no silence of the server's.
    package mutating func touch(now: ContinuousClock.Instant) { last = now }

    /// The attempt has got to this byte, and that is about to be reported.
    package mutating func report(_ reached: Int64) { reported = reached }
}
