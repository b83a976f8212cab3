// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Recurring times: all times whose components match the given ones, like the `DateComponents` of a
/// `UNCalendarNotificationTrigger`. Components below the smallest given one are 0; others are arbitrary.
package struct CalendarPattern: Sendable, Hashable, Codable {
    package var year: Int?
    package var month: Int?
    package var day: Int?
    /// 1 for Sunday.
    package var weekday: Int?
    /// The ordinal of the weekday within its month.
    package var weekdayOrdinal: Int?
    package var hour: Int?
    package var minute: Int?
    package var second: Int?

    package init(
        year: Int? = nil,
        month: Int? = nil,
        day: Int? = nil,
        weekday: Int? = nil,
        weekdayOrdinal: Int? = nil,
        hour: Int? = nil,
        minute: Int? = nil,
        second: Int? = nil
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.weekday = weekday
        self.weekdayOrdinal = weekdayOrdinal
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Whether it has components, all of them values that a clock can show. (A date that no calendar has, such as the
    /// 31st of February, has no next date.)
    package var makesSense: Bool {
        func fits(_ value: Int?, _ range: ClosedRange<Int>) -> Bool { value.map(range.contains) ?? true }
        return self != CalendarPattern()
            && fits(year, 1...9999) && fits(month, 1...12) && fits(day, 1...31) && fits(weekday, 1...7)
            && fits(weekdayOrdinal, 1...5) && fits(hour, 0...23) && fits(minute, 0...59) && fits(second, 0...59)
    }

    /// The first time after a date.
    ///
    /// The running time grows with the number of days until then: at most 40 years, within which every possible date
    /// occurs.
    ///
    /// - Returns: nil if there is none, or the pattern is invalid.
    package func next(after date: Date, in zone: CivilZone) -> Date? {
        guard makesSense, let now = zone.time(date) else { return nil }
        var today = now.day
        for _ in 0..<Self.furthest {
            if let year, today.year > year { return nil }
            if matches(today), let found = first(on: today, after: date, showing: now, in: zone) { return found }
            today = today.next
        }
        return nil
    }

    /// In days: a 29th of February on a given weekday occurs at least once in 40 years.
    private static let furthest = 366 * 40

    private func matches(_ today: CivilDay) -> Bool {
        func fits(_ wanted: Int?, _ value: Int) -> Bool { wanted == nil || wanted == value }
        return fits(year, today.year) && fits(month, today.month) && fits(day, today.day)
            && fits(weekday, today.weekday) && fits(weekdayOrdinal, today.weekdayOrdinal)
    }

    private func first(on day: CivilDay, after date: Date, showing now: CivilTime, in zone: CivilZone) -> Date? {
        for hour in hours {
            for minute in minutes {
                let time = CivilTime(day: day, hour: hour, minute: minute, second: second ?? 0)
                // Only future times are converted, because conversion is not free. The first occurrence of a time that
                // clocks have already shown today is in the past.
                if day == now.day, !now.isEarlierInDay(than: time) { continue }
                if let found = zone.instant(time), found > date { return found }
            }
        }
        return nil
    }

    private var hours: ClosedRange<Int> {
        if let hour { return hour...hour }
        return minute != nil || second != nil ? 0...23 : 0...0
    }

    private var minutes: ClosedRange<Int> {
        if let minute { return minute...minute }
        return second != nil ? 0...59 : 0...0
    }
}
