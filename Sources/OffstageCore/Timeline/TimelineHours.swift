// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Upcoming hours of the settings' schedule, and its rule for all transfers during them.
package struct TimelineHours: Sendable, Hashable, Codable {
    @Within<CalendarDates> package var from: Date
    @Within<CalendarDates> package var until: Date
    /// Whether transfers may run at all.
    package var transfers: Bool
    /// Bytes per second for all transfers together; nil for no limit.
    @WithinIfPresent<ByteCounts> package var rateLimit: Int64?

    package init(from: Date, until: Date, transfers: Bool, rateLimit: Int64?) {
        self.from = from
        self.until = until
        self.transfers = transfers
        self.rateLimit = rateLimit
    }
}

extension TransferLimits {
    /// The most times that the schedule is evaluated: it may change every minute.
    private static let mostLooks = 64

    /// The rules of the schedule, in order; empty without a schedule.
    package func hours(from now: Date, until end: Date, in zone: CivilZone) -> [TimelineHours] {
        var hours: [TimelineHours] = []
        var from = now
        var looks = 0
        while from < end, looks < Self.mostLooks, let next = nextChange(after: from, in: zone), next > from {
            looks += 1
            let rule = rule(at: from, isNow: from == now, in: zone)
            let stretch = TimelineHours(
                from: from,
                until: min(next, end),
                transfers: rule.transfers,
                rateLimit: rule.rateLimit
            )
            from = next
            if let last = hours.last, last.transfers == stretch.transfers, last.rateLimit == stretch.rateLimit {
                hours[hours.count - 1].until = stretch.until
            } else {
                hours.append(stretch)
            }
        }
        return hours
    }
}
