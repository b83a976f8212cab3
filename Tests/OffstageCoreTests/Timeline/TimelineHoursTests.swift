// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// The schedule's upcoming hours.
@Suite struct TimelineHoursTests {
    /// Greenwich, in January 1970.
    private static let zone = CivilZone(
        time: { date in
            let seconds = Int(date.timeIntervalSince1970.rounded(.down))
            let days = seconds / 86_400
            return CivilTime(
                day: CivilDay(year: 1970, month: 1, day: 1 + days, weekday: (days + 4) % 7 + 1),
                hour: seconds % 86_400 / 3600,
                minute: seconds % 3600 / 60,
                second: seconds % 60
            )
        },
        instant: { time in
            let seconds = (time.day.day - 1) * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
            return Date(timeIntervalSince1970: Double(seconds))
        }
    )

    private func at(_ hour: Double) -> Date { Date(timeIntervalSince1970: hour * 3600) }

    private func limits(_ entries: [ScheduleEntry], usual: Int64? = nil) -> TransferLimits {
        var settings = Settings()
        settings.schedule = entries
        settings.rateLimit = usual
        var limits = TransferLimits(settings)
        _ = limits.look(at: at(10), in: Self.zone)
        return limits
    }

    private func hours(_ limits: TransferLimits, until end: Double) -> [TimelineHours] {
        limits.hours(from: at(10), until: at(end), in: Self.zone)
    }

    @Test func `without a schedule there are none`() {
        #expect(hours(limits([]), until: 30).isEmpty)
    }

    @Test func `they follow each other up to the end, and equal neighbours are one`() {
        let limits = limits([
            ScheduleEntry(from: 8 * 60, to: 12 * 60, rateLimit: 5),
            ScheduleEntry(from: 12 * 60, to: 13 * 60, rateLimit: 5),
            ScheduleEntry(from: 22 * 60, to: 6 * 60, transfers: false),
        ])
        #expect(
            hours(limits, until: 29) == [
                TimelineHours(from: at(10), until: at(13), transfers: true, rateLimit: 5),
                TimelineHours(from: at(13), until: at(22), transfers: true, rateLimit: nil),
                TimelineHours(from: at(22), until: at(29), transfers: false, rateLimit: nil),
            ]
        )
    }

    @Test func `what a person has set applies until the schedule changes`() {
        var limits = limits([ScheduleEntry(from: 8 * 60, to: 12 * 60, transfers: false)], usual: 7)
        _ = limits.set(9)
        #expect(
            hours(limits, until: 14) == [
                TimelineHours(from: at(10), until: at(12), transfers: true, rateLimit: 9),
                TimelineHours(from: at(12), until: at(14), transfers: true, rateLimit: 7),
            ]
        )
    }

    @Test func `a schedule that changes all the time has an end`() {
        let minutes = (0..<1439).map { ScheduleEntry(from: $0, to: $0 + 1, rateLimit: Int64($0 + 1)) }
        #expect(hours(limits(minutes), until: 30).count == 64)
    }

    @Test func `a schedule that says the same for ever has an end, too`() {
        let always = limits([ScheduleEntry(from: 0, to: 24 * 60, transfers: false)])
        let hours = hours(always, until: 24 * 365 * 8000)
        #expect(hours.count == 1)
        #expect(hours[0].until < at(24 * 365))
    }
}
