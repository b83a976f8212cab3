// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// What all transfers together may use now: a limit of bandwidth, or no bandwidth at all. The settings say what is usual, the
/// schedule by time of day says otherwise, and a person's word counts until an entry of the schedule begins or ends.
package struct TransferLimits: Sendable {
    /// Bytes a second; nil for no limit.
    package private(set) var rateLimit: Int64?
    private let schedule: DaySchedule
    private var standing: ScheduleStanding

    package init(_ settings: Settings) {
        rateLimit = settings.rateLimit
        schedule = DaySchedule(settings.schedule, usualLimit: settings.rateLimit)
        standing = ScheduleStanding(usualLimit: settings.rateLimit)
    }

    /// Whether the schedule lets nothing run now.
    package var holdsEverything: Bool { !standing.effect.transfers }

    /// When the schedule is looked at next; nil where that is of no use.
    package var due: Date? { standing.due }
    /// When an entry next begins or ends; nil where that cannot be told.
    package var until: Date? { standing.until }

    /// What a client is told of the schedule; nil where the settings have none.
    package var report: (isInForce: Bool, isPause: Bool, until: Date?)? {
        guard !schedule.isEmpty else { return nil }
        let effect = standing.effect
        return (effect.entry != nil && !standing.isOverruled, !effect.transfers, standing.until)
    }

    /// Looks at the time of day.
    ///
    /// - Returns: whether something else holds from now on.
    package mutating func look(at now: Date, in zone: CivilZone) -> Bool {
        guard let effect = standing.look(schedule, at: now, in: zone) else { return false }
        rateLimit = effect.rateLimit
        return true
    }

    /// A person sets the limit.
    ///
    /// - Returns: whether the schedule is overruled.
    package mutating func set(_ limit: Int64?) -> Bool {
        rateLimit = limit
        guard !schedule.isEmpty else { return false }
        standing.overrule()
        return true
    }
}
