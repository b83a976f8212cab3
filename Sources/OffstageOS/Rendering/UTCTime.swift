// SPDX-License-Identifier: Apache-2.0

/// A point in time formatted for a line, in UTC: `2026-11-23 04:35:17.250000Z`.
package struct UTCTime: Sendable, Equatable {
    package let text: String

    /// - Parameters:
    ///   - seconds: seconds since 1970; times before the year 0 or after the year 9999 are shown as a number.
    ///   - microseconds: 0 to 999999, or nil to omit them.
    package init(seconds: Int, microseconds: Int? = nil) {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else {
            text = "\(seconds)"
            return
        }
        let (days, rest) = Self.divided(seconds, by: 86_400)
        let (year, month, day) = Self.date(days)
        let fraction = microseconds.map { "." + Self.digits(min(max($0, 0), 999_999), 6) } ?? ""
        text =
            "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2)) "
            + "\(Self.digits(rest / 3600, 2)):\(Self.digits(rest / 60 % 60, 2)):\(Self.digits(rest % 60, 2))\(fraction)Z"
    }

    /// Returns the date for a number of days since 1970, using eras of 400 years that begin in March, so leap days come
    /// last.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func divided(_ number: Int, by divisor: Int) -> (Int, Int) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
