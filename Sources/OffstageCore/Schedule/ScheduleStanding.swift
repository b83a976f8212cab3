// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The state of the settings' schedule: the rule in force, set by the schedule or by a person, and when to look again.
package struct ScheduleStanding: Sendable, Equatable {
    /// The rule in force.
    package private(set) var effect: DaySchedule.Effect
    /// Whether a person's setting applies, until an entry begins or ends.
    package private(set) var isOverruled = false
    /// When an entry next begins or ends; nil if that cannot be determined.
    package private(set) var until: Date?
    /// When to look again; nil before the first look.
    package private(set) var due: Date?
    /// The rule according to the schedule; nil before the first look.
    private var scheduled: DaySchedule.Effect?
    private var lookedAt: Date?

    /// Nothing reports a change of the time zone, so it is noticed within this many seconds.
    private static let longestWait = 3600.0

    /// - Parameter usualLimit: bytes a second unless an entry says otherwise; nil for no limit.
    package init(usualLimit: Int64?) { effect = .init(rateLimit: usualLimit) }

    /// Checks the time of day if that is due, or if the clock was set back.
    ///
    /// - Returns: the rule from now on, if it has changed; a person's setting applies until then.
    package mutating func look(_ schedule: DaySchedule, at now: Date, in zone: CivilZone) -> DaySchedule.Effect? {
        guard !schedule.isEmpty, isDue(at: now) else { return nil }
        lookedAt = now
        until = schedule.nextLook(after: now, in: zone)
        due = min(until ?? .distantFuture, now + Self.longestWait)
        let found = schedule.effect(at: now, in: zone)
        guard found != scheduled else { return nil }
        scheduled = found
        effect = found
        isOverruled = false
        return found
    }

    private func isDue(at now: Date) -> Bool {
        guard let due, let lookedAt else { return true }
        return now >= due || now < lookedAt
    }

    /// Records that a person has set the limit of all transfers, which lets them move.
    package mutating func overrule() {
        isOverruled = true
        effect.transfers = true
    }
}
