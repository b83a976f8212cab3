// SPDX-License-Identifier: Apache-2.0

/// Local time and date in the Gregorian calendar.
package struct CivilTime: Sendable, Hashable {
    package var day: CivilDay
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(day: CivilDay, hour: Int, minute: Int, second: Int) {
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Whether clocks show it before another time on the same day, unless they are put back.
    package func isEarlierInDay(than other: CivilTime) -> Bool {
        (hour, minute, second) < (other.hour, other.minute, other.second)
    }
}

/// A day of the Gregorian calendar.
package struct CivilDay: Sendable, Hashable {
    package var year: Int
    /// From 1.
    package var month: Int
    /// From 1.
    package var day: Int
    /// 1 for Sunday, like `DateComponents.weekday`.
    package var weekday: Int

    package init(year: Int, month: Int, day: Int, weekday: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.weekday = weekday
    }

    /// The ordinal of the weekday within its month: 1 for the first Monday, for example.
    package var weekdayOrdinal: Int { (day - 1) / 7 + 1 }

    package var next: CivilDay {
        let weekday = weekday % 7 + 1
        if day < Self.length(of: month, in: year) {
            return CivilDay(year: year, month: month, day: day + 1, weekday: weekday)
        }
        return month < 12
            ? CivilDay(year: year, month: month + 1, day: 1, weekday: weekday)
            : CivilDay(year: year + 1, month: 1, day: 1, weekday: weekday)
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
