// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// What all transfers together may use now: limited bandwidth, or none at all. The settings give the usual limit, the
/// schedule by time of day overrides it, and a person's setting applies until an entry of the schedule begins or ends.
/// Fleets' limits apply as well; they permit nothing that this machine does not.
package struct TransferLimits: Sendable {
    /// Bytes a second, by the settings, the schedule or a person; nil for no limit.
    private var ownRateLimit: Int64?
    /// The fleets' limits, which apply as well.
    package var fleets = FleetRules()
    private let schedule: DaySchedule
    private var standing: ScheduleStanding

    package init(_ settings: Settings) {
        ownRateLimit = settings.rateLimit
        schedule = DaySchedule(settings.schedule, usualLimit: settings.rateLimit)
        standing = ScheduleStanding(usualLimit: settings.rateLimit)
    }

    /// Bytes a second; nil for no limit.
    package var rateLimit: Int64? { [ownRateLimit, fleets.rateLimit].compactMap(\.self).min() }

    /// Whether nothing may run now, regardless of the network.
    package var holdsEverything: Bool { isHeldBySchedule || fleets.hold != nil }
    /// Whether the schedule keeps everything from running now.
    package var isHeldBySchedule: Bool { !standing.effect.transfers }

    /// When to check the time of day next; nil if there is no need to.
    package var due: Date? { [standing.due, fleets.due].compactMap(\.self).min() }
    /// When an entry next begins or ends; nil if that cannot be determined.
    package var until: Date? { standing.until }

    /// The state of the schedule for clients; nil if the settings have no schedule.
    package var report: (isInForce: Bool, isPause: Bool, until: Date?)? {
        guard !schedule.isEmpty else { return nil }
        let effect = standing.effect
        return (effect.entry != nil && !standing.isOverruled, !effect.transfers, standing.until)
    }

    /// When an entry next begins or ends; nil without a schedule.
    func nextChange(after date: Date, in zone: CivilZone) -> Date? { schedule.nextLook(after: date, in: zone) }

    /// The rule at a time; for the present, a person's setting replaces it.
    func rule(at date: Date, isNow: Bool, in zone: CivilZone) -> DaySchedule.Effect {
        guard isNow else { return schedule.effect(at: date, in: zone) }
        var rule = standing.effect
        rule.rateLimit = rateLimit
        return rule
    }

    /// Checks the time of day.
    ///
    /// - Returns: whether a different rule applies from now on.
    package mutating func look(at now: Date, in zone: CivilZone) -> Bool {
        let isOther = fleets.look(at: now, in: zone)
        guard let effect = standing.look(schedule, at: now, in: zone) else { return isOther }
        ownRateLimit = effect.rateLimit
        return true
    }

    /// Sets the limit on behalf of a person.
    ///
    /// - Returns: whether the schedule is overruled.
    package mutating func set(_ limit: Int64?) -> Bool {
        ownRateLimit = limit
        guard !schedule.isEmpty else { return false }
        standing.overrule()
        return true
    }
}
