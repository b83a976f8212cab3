// SPDX-License-Identifier: Apache-2.0

/// What one app has used of its time for deferred work: a bucket that a run empties second by second, and that a day
/// fills again. Times are seconds on the boot-time clock of one boot.
package struct TaskBudget: Sendable, Hashable {
    /// Seconds of a full bucket; a day brings as many.
    private var daily: Double
    /// Seconds that were used and have not come back, at `settledAt`. More than `daily` after a run that took longer
    /// than what was left.
    private var used = 0.0
    private var settledAt: Double
    /// Runs that use it at present.
    package private(set) var runs = 0
    /// Since when nothing is left.
    private var emptySince: Double?

    private static let day = 86_400.0
    /// Seconds that are left when an empty bucket is looked at again: clearly more than nothing, whatever the rounding.
    private static let leastRefill = 0.000_001

    package init(daily: Double, at now: Double) {
        self.daily = max(0, daily)
        settledAt = now
        emptySince = left(at: now) > 0 ? nil : now
    }

    private var refill: Double { daily / Self.day }

    private func used(at now: Double) -> Double {
        // Exactly nothing once it is full again: who has been due longest decides between those that are.
        if runs == 0, now >= fullAt { return 0 }
        return max(0, used + (Double(runs) - refill) * max(0, now - settledAt))
    }

    /// Seconds that are left: `daily` at most, and less than 0 after a run that took more than there was.
    package func left(at now: Double) -> Double { daily - used(at: now) }

    /// Since when nothing is left; nil when something is.
    package func empty(at now: Double) -> Double? {
        var later = self
        later.settle(at: now)
        return later.emptySince
    }

    /// When it is full again, or was, as long as nothing runs; infinite when nothing comes back.
    ///
    /// Of two that nothing uses, the one that is full earlier has more left, at any time until then.
    package var fullAt: Double { used == 0 ? settledAt : refill > 0 ? settledAt + used / refill : .infinity }

    /// When an empty one has something again; nil when it is not empty, or does not fill.
    package func refillTime(at now: Double) -> Double? {
        let gain = refill - Double(runs)
        let left = left(at: now)
        guard left <= 0, gain > 0 else { return nil }
        return now + (Self.leastRefill - left) / gain
    }

    package mutating func runBegan(at now: Double) {
        settle(at: now)
        runs += 1
    }

    package mutating func runEnded(at now: Double) {
        settle(at: now)
        runs = max(0, runs - 1)
    }

    /// Takes seconds off that a run used that was not counted as it ran.
    package mutating func charge(_ seconds: Double, at now: Double) {
        settle(at: now)
        used += max(0, seconds)
        noteEmptiness(at: now)
    }

    /// Another size: what was used stays used.
    package mutating func setDaily(_ seconds: Double, at now: Double) {
        settle(at: now)
        daily = max(0, seconds)
        noteEmptiness(at: now)
    }

    private mutating func settle(at now: Double) {
        guard now > settledAt else { return }
        let slope = Double(runs) - refill
        if emptySince == nil, slope > 0, used < daily {
            let emptied = settledAt + (daily - used) / slope
            if emptied <= now { emptySince = emptied }
        }
        used = used(at: now)
        settledAt = now
        noteEmptiness(at: now)
    }

    private mutating func noteEmptiness(at now: Double) {
        if used < daily {
            emptySince = nil
        } else if emptySince == nil {
            emptySince = now
        }
    }
}
