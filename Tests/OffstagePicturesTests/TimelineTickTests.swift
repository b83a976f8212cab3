// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstagePictures
import Testing

@Suite struct TimelineTickTests {
    private let now = PictureFixture.now

    private func labels(_ seconds: Double, units: Int, spacing: Int = 9, clock: TimelineClock = .utc) -> [String] {
        let scale = TimelineScale(from: now - seconds, until: now, units: units)
        return TimelineTick.all(on: scale, spacing: spacing, clock: clock).map(\.label)
    }

    @Test func `ticks are at round times, as many as there is room for`() {
        #expect(labels(3600, units: 54) == ["07:00", "07:10", "07:20", "07:30", "07:40", "07:50"])
        #expect(labels(86_400, units: 80) == ["09:00", "12:00", "15:00", "18:00", "21:00", "15 Jan", "03:00", "06:00"])
        #expect(labels(7 * 86_400, units: 80) == ["9 Jan", "10 Jan", "11 Jan", "12 Jan", "13 Jan", "14 Jan", "15 Jan"])
        #expect(labels(60, units: 54) == ["07:59:00", "07:59:10", "07:59:20", "07:59:30", "07:59:40", "07:59:50"])
    }

    @Test(arguments: [1.0, 59, 61, 3601, 40_000, 86_401, 1e6, 4e7, 1e9], [1, 7, 30, 200])
    func `they are never closer than asked for, and in order`(seconds: Double, units: Int) {
        let scale = TimelineScale(from: now - seconds, until: now, units: units)
        let ticks = TimelineTick.all(on: scale, spacing: 6, clock: .utc)
        #expect(ticks.count <= units / 6 + 2)
        for (left, right) in zip(ticks, ticks.dropFirst()) { #expect(right.unit - left.unit >= 5) }
        #expect(ticks.allSatisfy { $0.date >= scale.from && $0.date < scale.until })
    }

    @Test func `they follow local clocks, and go on at round times when these are changed`() {
        let india = TimelineClock { _ in 19_800 }
        #expect(labels(6 * 3600, units: 54, clock: india) == ["08:00", "09:00", "10:00", "11:00", "12:00", "13:00"])
        let change = now - 10 * 3600
        // Clocks go forward by an hour.
        let spring = TimelineClock { $0 < change ? 3600 : 7200 }
        #expect(labels(24 * 3600, units: 80, clock: spring).allSatisfy { $0.hasSuffix(":00") || $0 == "15 Jan" })
        let scale = TimelineScale(from: now - 86_400, until: now, units: 80)
        for tick in TimelineTick.all(on: scale, spacing: 9, clock: spring) {
            #expect(Int(tick.date.timeIntervalSince1970) % 3600 == 0)
        }
    }

    @Test func `days are those of the calendar`() {
        for (seconds, day) in [
            (0.0, "1 Jan"), (-1, "31 Dec"), (951_782_400, "29 Feb"), (951_868_800, "1 Mar"), (4_107_542_400, "1 Mar"),
            (1_709_164_800, "29 Feb"), (-2_203_891_200, "1 Mar"),
        ] {
            #expect(TimelineClock.utc.day(Date(timeIntervalSince1970: seconds)) == day)
        }
    }

    @Test(arguments: [600.0, 1800, 3600, 7200, 10_800, 21_600, 86_400])
    func `an hour that clocks skip, or repeat, has no tick out of order`(seconds: Double) {
        for clocks in [(3600, 7200), (7200, 3600)] {
            let change = now - seconds / 2
            let clock = TimelineClock { $0 < change ? clocks.0 : clocks.1 }
            for units in [40, 80, 400] {
                let scale = TimelineScale(from: now - seconds, until: now, units: units)
                let dates = TimelineTick.all(on: scale, spacing: 9, clock: clock).map(\.date)
                #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 }, "\(dates)")
                #expect(dates.allSatisfy { $0 >= scale.from && $0 < scale.until })
            }
        }
    }
}
