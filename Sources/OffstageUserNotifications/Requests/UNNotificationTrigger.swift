// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
import OffstageCore

/// When a notification is delivered.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationtrigger>
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    /// Whether it is delivered again and again.
    public let repeats: Bool

    init(repeats: Bool) { self.repeats = repeats }

    /// What the daemon is told.
    func trigger() -> NotificationTrigger { .immediately }
}

/// After an interval, in seconds; with `repeats` after each.
///
/// <https://developer.apple.com/documentation/usernotifications/untimeintervalnotificationtrigger>
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// Seconds from when the request is added.
    public let timeInterval: TimeInterval
    private let made = Date()

    /// An interval of 0 or less, or one below a minute that repeats, stops the program, as on Apple's platforms.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        let call = "UNTimeIntervalNotificationTrigger(timeInterval:repeats:)"
        if !(timeInterval > 0) { Misuse.stop(call, "time interval must be greater than 0") }
        if repeats, timeInterval < 60 { Misuse.stop(call, "time interval must be at least 60 if repeating") }
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// When it is delivered next if it is added now.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }

    override func trigger() -> NotificationTrigger { .interval(seconds: timeInterval, repeats: repeats) }
}

/// When the calendar comes to have these components.
///
/// The daemon reckons with the machine's local time, as it is then. Components with a time zone or a calendar of their own,
/// or of weeks of the year, are reckoned by the app when it adds the request: 64 times ahead for one that repeats.
///
/// <https://developer.apple.com/documentation/usernotifications/uncalendarnotificationtrigger>
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// What is to match.
    public let dateComponents: DateComponents

    /// A trigger for components.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// When it is delivered next; nil for components that there are never, or never again.
    open func nextTriggerDate() -> Date? { dates(1).first }

    override func trigger() -> NotificationTrigger {
        if let pattern { return .calendar(pattern, repeats: repeats) }
        return .dates(dates(repeats ? LocalNotification.mostDates : 1))
    }

    /// What the daemon can reckon with; nil for what only a calendar can.
    private var pattern: CalendarPattern? {
        let parts = dateComponents
        let isPlain =
            parts.timeZone == nil && (parts.calendar?.identifier ?? .gregorian) == .gregorian && parts.era == nil
            && parts.weekOfYear == nil && parts.weekOfMonth == nil && parts.yearForWeekOfYear == nil
            && parts.quarter == nil && (parts.nanosecond ?? 0) == 0
        let pattern = CalendarPattern(
            year: parts.year,
            month: parts.month,
            day: parts.day,
            weekday: parts.weekday,
            weekdayOrdinal: parts.weekdayOrdinal,
            hour: parts.hour,
            minute: parts.minute,
            second: parts.second
        )
        return isPlain && pattern.makesSense ? pattern : nil
    }

    private func dates(_ count: Int) -> [Date] {
        var calendar = dateComponents.calendar ?? Calendar(identifier: .gregorian)
        calendar.timeZone = dateComponents.timeZone ?? .current
        var found: [Date] = []
        var last = Date()
        while found.count < count {
            // What no calendar has would be looked for without end.
            let next =
                pattern.map { $0.next(after: last, in: .of(calendar)) }
                ?? calendar.nextDate(after: last, matching: dateComponents, matchingPolicy: .nextTime)
            guard let next else { break }
            found.append(next)
            last = next
        }
        return found
    }
}

/// Of a notification that came over the network: there are none here.
///
/// <https://developer.apple.com/documentation/usernotifications/unpushnotificationtrigger>
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {}

extension CivilZone {
    /// The local time of a calendar's zone.
    static func of(_ calendar: Calendar) -> CivilZone {
        CivilZone(
            time: { date in
                let parts = calendar.dateComponents(
                    [.year, .month, .day, .weekday, .hour, .minute, .second],
                    from: date
                )
                guard let year = parts.year, let month = parts.month, let day = parts.day, let weekday = parts.weekday,
                    let hour = parts.hour, let minute = parts.minute, let second = parts.second
                else { return nil }
                let today = CivilDay(year: year, month: month, day: day, weekday: weekday)
                return CivilTime(day: today, hour: hour, minute: minute, second: second)
            },
            instant: { time in
                let start = DateComponents(year: time.day.year, month: time.day.month, day: time.day.day)
                guard let midnight = calendar.date(from: start) else { return nil }
                return calendar.date(bySettingHour: time.hour, minute: time.minute, second: time.second, of: midnight)
            }
        )
    }
}
