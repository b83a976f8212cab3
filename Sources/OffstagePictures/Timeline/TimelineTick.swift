// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// A time label beside the line.
package struct TimelineTick: Sendable, Equatable {
    package var date: Date
    package var unit: Int
    /// `18:30`, or `26 Nov` where a day begins.
    package var label: String

    private static let minute = 60
    private static let hour = 3600
    private static let day = 86_400
    /// Possible intervals between two ticks, in seconds. The smallest that leaves enough room is used.
    private static let steps = [
        1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour,
        3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day,
    ]

    /// The ticks of a line, at round times of the local day.
    ///
    /// - Parameters:
    ///   - scale: the line.
    ///   - spacing: the minimum number of units between two ticks.
    ///   - clock: local time.
    /// - Returns: the ticks in order.
    package static func all(on scale: TimelineScale, spacing: Int, clock: TimelineClock) -> [TimelineTick] {
        let room = max(1, scale.units / max(1, spacing))
        let least = scale.seconds / Double(room)
        let step = steps.first { Double($0) >= least } ?? Int(nearest: least.rounded(.up))
        var ticks: [TimelineTick] = []
        var east = clock.secondsEast(scale.from)
        var local = roundedUp(scale.from.timeIntervalSince1970 + Double(east), to: step)
        // An hour that clocks skip has no ticks, and a repeated hour has each tick only once.
        var looks = 0
        while looks <= 2 * room + 2 {
            looks += 1
            var date = Date(timeIntervalSince1970: local - Double(east))
            local += Double(step)
            let present = clock.secondsEast(date)
            if present != east {
                date += Double(east - present)
                east = present
            }
            guard date < scale.until else { break }
            let isLater = ticks.last.map { $0.date < date } ?? true
            guard date >= scale.from, isLater, clock.secondsEast(date) == east else { continue }
            ticks.append(TimelineTick(date: date, unit: scale.unit(of: date), label: label(date, step, clock)))
        }
        return ticks
    }

    private static func roundedUp(_ seconds: Double, to step: Int) -> Double {
        (seconds / Double(step)).rounded(.up) * Double(step)
    }

    private static func label(_ date: Date, _ step: Int, _ clock: TimelineClock) -> String {
        let isMidnight = clock.secondOfDay(date) == 0
        if step >= day || isMidnight { return clock.day(date) }
        return step < minute ? clock.time(date) : clock.shortTime(date)
    }
}
