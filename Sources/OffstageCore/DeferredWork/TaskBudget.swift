// SPDX-License-Identifier: Apache-2.0

/// The time for deferred work that one app has used: a bucket that a run drains second by second, and that refills over
/// a day. Times are seconds on the boot-time clock of one boot.
package struct TaskBudget: Sendable, Hashable {
    /// Seconds in a full bucket; a day adds as many.
    private var daily: Double
    /// Used seconds that were not refilled, at `settledAt`. More than `daily` after a run that took longer than the
    /// time left.
    private var used = 0.0
    private var settledAt: Double
    /// The present runs, each with the time when it stops using the budget, which may have passed; infinite for never.
    private var uses: [Double] = []
    /// The time since when nothing is left.
    private var emptySince: Double?

    private static let day = 86_400.0
    /// Seconds that are left at the next check of an empty bucket: clearly more than zero, whatever the rounding.
    private static let leastRefill = 0.000_001

    package init(daily: Double, at now: Double) {
        self.daily = max(0, daily)
        settledAt = now
        emptySince = left(at: now) > 0 ? nil : now
    }

    private var refill: Double { daily / Self.day }

    /// The number of present runs, including those that no longer use it.
    package var runs: Int { uses.count }

    /// Used seconds that were not refilled.
    package func used(at now: Double) -> Double {
        // Exactly zero once it is full again, because the longest due task then comes first.
        if uses.isEmpty { return now >= fullAt ? 0 : max(0, used - refill * max(0, now - settledAt)) }
        var later = self
        later.settle(at: now)
        return later.used
    }

    /// Seconds left: at most `daily`, and less than 0 after a run that took more than was left.
    package func left(at now: Double) -> Double { daily - used(at: now) }

    /// Since when nothing is left; nil if something is.
    package func empty(at now: Double) -> Double? {
        var later = self
        later.settle(at: now)
        return later.emptySince
    }

    /// When it is or was full again, as long as nothing runs; infinite if it does not refill.
    ///
    /// Of two budgets not in use, the one that is full earlier has more left at any time until then.
    package var fullAt: Double { used == 0 ? settledAt : refill > 0 ? settledAt + used / refill : .infinity }

    /// When an empty bucket has something again; nil if it is not empty or does not refill.
    package func refillTime(at now: Double) -> Double? {
        var (time, left) = (now, left(at: now))
        guard left <= 0 else { return nil }
        while true {
            let gain = gain(at: time)
            let change = nextChange(after: time)
            if gain > 0 {
                let filled = time + (Self.leastRefill - left) / gain
                if filled <= change { return filled }
            }
            guard change.isFinite else { return nil }
            left += gain * (change - time)
            time = change
        }
    }

    /// A run begins. From `end` on it uses nothing, however long it lasts; nil if there is no such time.
    package mutating func runBegan(at now: Double, until end: Double?) {
        settle(at: now)
        uses.append(end ?? .infinity)
    }

    /// A run has ended; `end` is the value given at its beginning.
    package mutating func runEnded(at now: Double, until end: Double?) {
        settle(at: now)
        guard let index = uses.firstIndex(of: end ?? .infinity) else { return }
        uses.remove(at: index)
        if uses.isEmpty { uses = [] }
    }

    /// Subtracts seconds of a run that were not counted while it ran.
    package mutating func charge(_ seconds: Double, at now: Double) {
        settle(at: now)
        used += max(0, seconds)
        updateEmptiness(at: now)
    }

    /// Changes the size; the used seconds remain.
    package mutating func setDaily(_ seconds: Double, at now: Double) {
        settle(at: now)
        daily = max(0, seconds)
        updateEmptiness(at: now)
    }

    /// Seconds refilled per second, minus the seconds that runs use.
    private func gain(at time: Double) -> Double { refill - Double(uses.count { $0 > time }) }

    /// When a run next stops using it; infinite if there is no such time.
    private func nextChange(after time: Double) -> Double { uses.filter { $0 > time }.min() ?? .infinity }

    private mutating func settle(at now: Double) {
        while now > settledAt { pass(to: uses.isEmpty ? now : min(now, nextChange(after: settledAt))) }
    }

    /// Advances through a time in which nothing changes.
    private mutating func pass(to end: Double) {
        if uses.isEmpty {
            used = used(at: end)
        } else {
            let gain = gain(at: settledAt)
            if emptySince == nil, gain < 0, used < daily {
                let emptied = settledAt - (daily - used) / gain
                if emptied <= end { emptySince = emptied }
            }
            used = max(0, used - gain * (end - settledAt))
        }
        settledAt = end
        updateEmptiness(at: end)
    }

    private mutating func updateEmptiness(at now: Double) {
        if used < daily {
            emptySince = nil
        } else if emptySince == nil {
            emptySince = now
        }
    }
}
