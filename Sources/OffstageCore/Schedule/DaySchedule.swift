// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The rules for transfers by time of day: the settings' `schedule`.
///
/// The first entry that covers a time decides; otherwise the usual rule applies. An entry that passes midnight belongs
/// to the day on which it begins.
package struct DaySchedule: Sendable, Equatable {
    /// The rule for all transfers at some time.
    package struct Effect: Sendable, Equatable {
        /// The limit of all transfers together, in bytes a second; nil if unlimited.
        package var rateLimit: Int64?
        /// Whether transfers move at all.
        package var transfers: Bool
        /// The number of the entry, from 0; nil for the usual rule.
        package var entry: Int?

        package init(rateLimit: Int64?, transfers: Bool = true, entry: Int? = nil) {
            self.rateLimit = rateLimit
            self.transfers = transfers
            self.entry = entry
        }
    }

    private let entries: [ScheduleEntry]
    /// The limit if no entry covers the time.
    private let usualLimit: Int64?
    /// When entries begin or end, in minutes since midnight, earliest first.
    private let bounds: [Int]

    package init(_ entries: [ScheduleEntry], usualLimit: Int64?) {
        self.entries = entries
        bounds = Set(entries.flatMap { [$0.from, $0.to == 1440 ? 0 : $0.to] }).sorted()
        self.usualLimit = usualLimit
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The rule at a time.
    package func effect(at date: Date, in zone: CivilZone) -> Effect {
        guard !entries.isEmpty, let time = zone.time(date) else { return Effect(rateLimit: usualLimit) }
        // checked: of a clock on the wall
        let minutes = time.hour * 60 + time.minute
        let index = entries.firstIndex { entry in
            func begins(on weekday: Int) -> Bool { entry.days?.contains(weekday) ?? true }
            if entry.from < entry.to {
                return (entry.from..<entry.to).contains(minutes) && begins(on: time.day.weekday)
            }
            let yesterday = (time.day.weekday + 5) % 7 + 1
            return minutes >= entry.from && begins(on: time.day.weekday)
                || minutes < entry.to && begins(on: yesterday)
        }
        guard let index else { return Effect(rateLimit: usualLimit) }
        return Effect(rateLimit: entries[index].rateLimit, transfers: entries[index].transfers, entry: index)
    }

    /// The time of the next look, when an entry next begins or ends; nil if no entry does or it cannot be determined.
    package func nextLook(after date: Date, in zone: CivilZone) -> Date? {
        guard !entries.isEmpty, let time = zone.time(date) else { return nil }
        func bound(on day: CivilDay, from first: Int) -> Date? {
            for minutes in bounds where minutes >= first {
                let time = CivilTime(day: day, hour: minutes / 60, minute: minutes % 60, second: 0)
                if let found = zone.instant(time), found > date { return found }
            }
            return nil
        }
        // Only the next bound is converted, since that is not free. Any time that clocks have shown today, they showed
        // for the first time before now.
        let minutes = time.hour * 60 + time.minute  // checked: of a clock on the wall
        return bound(on: time.day, from: minutes + 1) ?? bound(on: time.day.next, from: 0)  // checked: as above
    }
}
