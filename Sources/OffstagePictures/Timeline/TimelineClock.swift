// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// Local time in words.
package struct TimelineClock: Sendable {
    /// How many seconds local time is ahead of UTC at an instant.
    package let secondsEast: @Sendable (Date) -> Int

    package init(secondsEast: @escaping @Sendable (Date) -> Int) { self.secondsEast = secondsEast }

    /// UTC, for tests and where no zone is known.
    package static let utc = TimelineClock { _ in 0 }

    func secondOfDay(_ date: Date) -> Int {
        let seconds = Int(nearest: local(date).rounded(.down)) % 86_400
        return seconds < 0 ? seconds + 86_400 : seconds
    }

    /// `18:34`.
    package func shortTime(_ date: Date) -> String {
        let second = secondOfDay(date)
        return "\(Self.two(second / 3600)):\(Self.two(second / 60 % 60))"
    }

    /// `18:34:07`.
    package func time(_ date: Date) -> String { "\(shortTime(date)):\(Self.two(secondOfDay(date) % 60))" }

    /// `26 Nov`.
    package func day(_ date: Date) -> String {
        let parts = civil(date)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day) \(months[parts.month - 1])"
    }

    /// `18:34`, or `18:34 on 25 Nov` for a day other than today.
    package func moment(_ date: Date, beside now: Date) -> String {
        let days = [date, now].map { (local($0) / 86_400).rounded(.down) }
        return days[0] == days[1] ? shortTime(date) : "\(shortTime(date)) on \(day(date))"
    }

    private func local(_ date: Date) -> Double { date.timeIntervalSince1970 + Double(secondsEast(date)) }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// The Gregorian month (from 1) and day. Counts in years that begin in March, so a leap day is the last day.
    private func civil(_ date: Date) -> (month: Int, day: Int) {
        let days = Int(nearest: (min(max(local(date), -1e11), 1e11) / 86_400).rounded(.down)) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let ofEra = days - era * 146_097
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        return (month < 10 ? month + 3 : month - 9, ofYear - (153 * month + 2) / 5 + 1)
    }
}
