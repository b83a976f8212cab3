// SPDX-License-Identifier: Apache-2.0

/// Decides when finished transfers are pruned: after a thousand ends, or an hour.
package struct PruneRule: Sendable {
    private var ended = 0
    private var last: Moment?
    /// Whether a prune is running: one at a time. It finds transfers that end in the meantime, or they count towards
    /// the next prune.
    private var isRunning = false

    /// The number of ends after which a prune is worthwhile.
    private static let endsBeforePrune = 1000

    package init() {}

    /// Records that this many more transfers have ended, or may be pruned from now on.
    package mutating func record(ended count: Int) { ended += count }

    /// Begins a prune if one is due and none is running.
    ///
    /// - Returns: whether it has begun.
    package mutating func beginIfDue(at now: Moment) -> Bool {
        let isLongAgo = last.map { now.seconds(since: $0) > 3600 } ?? false
        return (ended >= Self.endsBeforePrune || isLongAgo) && begin(at: now)
    }

    /// Begins a prune unless one is running.
    ///
    /// - Returns: whether it has begun.
    package mutating func begin(at now: Moment) -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        last = now
        ended = 0
        return true
    }

    package mutating func end() { isRunning = false }
}
