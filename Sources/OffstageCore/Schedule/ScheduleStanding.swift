// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Where the settings' schedule stands: what holds now, by its word or a person's, and when to look again.
package struct ScheduleStanding: Sendable, Equatable {
    /// What holds now.
    package private(set) var effect: DaySchedule.Effect
    /// Whether a person's word counts, until an entry begins or ends.
    package private(set) var isOverruled = false
    /// When an entry next begins or ends; nil where that cannot be told.
    package private(set) var until: Date?
    /// When to look again; nil before the first look.
    package private(set) var due: Date?
    /// What the schedule says; nil before the first look.
    private var scheduled: DaySchedule.Effect?
    private var lookedAt: Date?

    /// Of a change of the zone nobody tells: it is found out within so many seconds.
    private static let longestWait = 3600.0

    /// - Parameter usualLimit: bytes a second where no entry says otherwise; nil for no limit.
    package init(usualLimit: Int64?) { effect = .init(rateLimit: usualLimit) }

    /// Looks at the time of day where that is due, or the clock was set back.
    ///
    /// - Returns: what holds from now on, where something else does; what a person has set holds until then.
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

    /// A person has set the limit of all transfers: they move.
    package mutating func overrule() {
        isOverruled = true
        effect.transfers = true
    }
}
