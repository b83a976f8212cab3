// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageUserNotifications
import Synchronization
import Testing

@Suite struct CalendarPatternTests {
    /// Foundation's calendar replaces the C library and is independent of it.
    private static func zone(_ name: String) throws -> CivilZone {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        let fixed = calendar
        return CivilZone(
            time: { date in
                let parts = fixed.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
                guard let year = parts.year, let month = parts.month, let day = parts.day, let weekday = parts.weekday
                else { return nil }
                return CivilTime(
                    day: CivilDay(year: year, month: month, day: day, weekday: weekday),
                    hour: parts.hour ?? 0,
                    minute: parts.minute ?? 0,
                    second: parts.second ?? 0
                )
            },
            instant: { time in
                let day = DateComponents(year: time.day.year, month: time.day.month, day: time.day.day)
                guard let midnight = fixed.date(from: day) else { return nil }
                return fixed.date(bySettingHour: time.hour, minute: time.minute, second: time.second, of: midnight)
            }
        )
    }

    private static func text(_ date: Date?, _ name: String) throws -> String {
        guard let date else { return "never" }
        let style = Date.ISO8601FormatStyle(timeZone: try #require(TimeZone(identifier: name)))
            .year().month().day().time(includingFractionalSeconds: false)
        return date.formatted(style)
    }

    /// Monday, 2026-11-23, 09:30:15 in Berlin.
    private static let now = Date(timeIntervalSince1970: 1_795_422_615)

    private static let cases: [(CalendarPattern, String)] = [
        (CalendarPattern(hour: 8), "2026-11-24T08:00:00"),
        (CalendarPattern(hour: 9, minute: 30), "2026-11-24T09:30:00"),
        (CalendarPattern(hour: 9, minute: 31), "2026-11-23T09:31:00"),
        (CalendarPattern(minute: 30), "2026-11-23T10:30:00"),
        (CalendarPattern(second: 20), "2026-11-23T09:30:20"),
        (CalendarPattern(second: 15), "2026-11-23T09:31:15"),
        (CalendarPattern(hour: 8, second: 10), "2026-11-24T08:00:10"),
        (CalendarPattern(weekday: 2, hour: 9), "2026-11-30T09:00:00"),
        (CalendarPattern(weekday: 2, hour: 10), "2026-11-23T10:00:00"),
        (CalendarPattern(day: 31), "2026-12-31T00:00:00"),
        (CalendarPattern(month: 2, day: 29, hour: 12), "2028-02-29T12:00:00"),
        (CalendarPattern(month: 2, day: 29, weekday: 3), "2028-02-29T00:00:00"),
        (CalendarPattern(weekday: 5, weekdayOrdinal: 5, hour: 1), "2026-12-31T01:00:00"),
        (CalendarPattern(year: 2026, month: 12, day: 1, hour: 9, minute: 5), "2026-12-01T09:05:00"),
        (CalendarPattern(year: 2026, month: 11, day: 1), "never"),
        (CalendarPattern(year: 2020), "never"),
        (CalendarPattern(month: 2, day: 31), "never"),
        (CalendarPattern(month: 4, day: 31, hour: 3), "never"),
        (CalendarPattern(hour: 24), "never"),
        (CalendarPattern(), "never"),
    ]

    @Test(arguments: cases)
    func `the next time is the first after now that has every component`(pattern: CalendarPattern, next: String) throws
    {
        let zone = try Self.zone("Europe/Berlin")
        #expect(try Self.text(pattern.next(after: Self.now, in: zone), "Europe/Berlin") == next)
    }

    @Test func `a time that clocks leave out is the first after the gap, and one that they show twice comes once`()
        throws
    {
        let zone = try Self.zone("Europe/Berlin")
        let pattern = CalendarPattern(hour: 2, minute: 30)
        let march = try Date("2026-03-28T12:00:00Z", strategy: .iso8601)
        #expect(try Self.text(pattern.next(after: march, in: zone), "Europe/Berlin") == "2026-03-29T03:00:00")
        let october = try Date("2026-10-24T12:00:00Z", strategy: .iso8601)
        let first = try #require(pattern.next(after: october, in: zone))
        #expect(try Self.text(first, "UTC") == "2026-10-25T00:30:00")
        let second = try #require(pattern.next(after: first, in: zone))
        #expect(try Self.text(second, "Europe/Berlin") == "2026-10-26T02:30:00")
    }

    @Test func `while clocks show an hour again, what is due in it has come already`() throws {
        let zone = try Self.zone("Europe/Berlin")
        let again = try Date("2026-10-25T01:30:30Z", strategy: .iso8601)
        let next = CalendarPattern(second: 7).next(after: again, in: zone)
        #expect(try Self.text(next, "Europe/Berlin") == "2026-10-25T03:00:07")
    }

    private final class Conversions: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test func `the times of a day that are over are not converted`() throws {
        let (kolkata, conversions) = (try Self.zone("Asia/Kolkata"), Conversions())
        let zone = CivilZone(
            time: kolkata.time,
            instant: { time in
                conversions.add()
                return kolkata.instant(time)
            }
        )
        // 23:58:30, and then 23:59:07.
        let late = try Date("2026-11-23T18:28:30Z", strategy: .iso8601)
        let pattern = CalendarPattern(second: 7)
        let last = try #require(pattern.next(after: late, in: zone))
        #expect(try Self.text(last, "Asia/Kolkata") == "2026-11-23T23:59:07")
        #expect(try Self.text(pattern.next(after: last, in: zone), "Asia/Kolkata") == "2026-11-24T00:00:07")
        #expect(conversions.count == 2)
    }

    @Test func `a year of a daily time is 365 times of it`() throws {
        let zone = try Self.zone("America/New_York")
        let pattern = CalendarPattern(hour: 7, minute: 45)
        var date = try Date("2027-01-01T05:00:00Z", strategy: .iso8601)
        let end = try Date("2028-01-01T05:00:00Z", strategy: .iso8601)
        var count = 0
        while let next = pattern.next(after: date, in: zone), next < end {
            #expect(try Self.text(next, "America/New_York").hasSuffix("T07:45:00"))
            date = next
            count += 1
        }
        #expect(count == 365)
    }
}
