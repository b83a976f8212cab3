// SPDX-License-Identifier: Apache-2.0

/// When finished transfers are looked through for those that are to be forgotten: after a thousand ends, or an hour.
package struct PruneRule: Sendable {
    private var ended = 0
    private var last: Moment?
    /// Whether a prune runs or has been begun: one at a time. What ends meanwhile is found by it, or counted for the next.
    private var isRunning = false

    /// How many have to have ended for it to be worth a look.
    private static let endsBeforePrune = 1000

    package init() {}

    /// So many transfers have ended, or may be forgotten from now on.
    package mutating func note(ended count: Int) { ended += count }

    /// Begins a prune where one is due, and none runs.
    ///
    /// - Returns: whether it has begun.
    package mutating func beginIfDue(at now: Moment) -> Bool {
        let isLongAgo = last.map { now.seconds(since: $0) > 3600 } ?? false
        return (ended >= Self.endsBeforePrune || isLongAgo) && begin(at: now)
    }

    /// Begins a prune, unless one runs.
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
