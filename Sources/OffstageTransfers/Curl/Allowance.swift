// SPDX-License-Identifier: Apache-2.0

/// How many bytes an attempt with a bandwidth limit may move now: a token bucket that fills with time.
///
/// libcurl has its own limits, but checks them only after it has emptied a socket. Over a fast network that means
/// megabytes at a time, and a change takes effect late.
package struct Allowance: Sendable {
    /// Bytes a second; nil for no limit.
    package private(set) var limit: Int64?
    /// Below 0 after a piece that was larger than the remaining allowance.
    private var bytes: Double
    private var filledAt: FixedInstant

    package init(limit: Int64?, now: ContinuousClock.Instant) {
        self.limit = limit.map { max(1, $0) }
        filledAt = FixedInstant(now)
        bytes = 0
        bytes = capacity
    }

    /// The longest burst: a tenth of a second's worth, so that the rate looks even, but at least one piece. A limit
    /// below one piece a second allows one second's worth, since a whole piece at the start would be seconds ahead of
    /// the limit.
    private var capacity: Double { max(min(16_384, Double(limit ?? 0)), Double(limit ?? 0) / 10) }

    /// Sets a new limit from now on. Any overdraft under the old limit is forgiven.
    package mutating func setLimit(_ limit: Int64?, now: ContinuousClock.Instant) {
        fill(now: now)
        self.limit = limit.map { max(1, $0) }
        bytes = min(max(0, bytes), capacity)
    }

    /// How many bytes may be moved now; 0 means that it is time to wait.
    package mutating func available(now: ContinuousClock.Instant) -> Int {
        guard limit != nil else { return .max }
        if bytes < 1 { fill(now: now) }
        return max(0, Int(nearest: bytes))
    }

    /// Records moved bytes, which may be more than were available.
    package mutating func spend(_ count: Int) {
        if limit != nil { bytes -= Double(count) }
    }

    /// The time when half a burst will be available again.
    package func refilled(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let limit else { return now }
        let missing = capacity / 2 - bytes
        return missing > 0 ? filledAt.instant + .seconds(missing / Double(limit)) : now
    }

    private mutating func fill(now: ContinuousClock.Instant) {
        let filledAt = filledAt.instant
        guard let limit, now > filledAt else { return }
        let (seconds, attoseconds) = filledAt.duration(to: now).components
        bytes = min(capacity, bytes + Double(limit) * (Double(seconds) + Double(attoseconds) / 1e18))
        self.filledAt = FixedInstant(now)
    }
}
