// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
import OffstageCore

/// When a notification is delivered.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationtrigger>
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    /// Whether the notification is delivered repeatedly.
    public let repeats: Bool

    init(repeats: Bool) { self.repeats = repeats }

    /// The trigger in the form that the daemon accepts.
    func trigger() -> NotificationTrigger { .immediately }
}

/// Delivers a notification after an interval, in seconds; with `repeats`, after every such interval.
///
/// <https://developer.apple.com/documentation/usernotifications/untimeintervalnotificationtrigger>
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// The interval, in seconds after the request is added.
    public let timeInterval: TimeInterval

    /// Creates a trigger with an interval. An interval of 0 or less traps, and so does a repeating interval of less
    /// than a minute, as on Apple's platforms.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        let call = "UNTimeIntervalNotificationTrigger(timeInterval:repeats:)"
        if !(timeInterval > 0) { Misuse.stop(call, "time interval must be greater than 0") }
        if repeats, timeInterval < 60 { Misuse.stop(call, "time interval must be at least 60 if repeating") }
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// When the notification would be delivered if the request were added now.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }

    override func trigger() -> NotificationTrigger { .interval(seconds: timeInterval, repeats: repeats) }
}

/// Delivers a notification when the calendar matches these components.
///
/// The daemon uses the machine's local time, as it is at that moment. If the components have a time zone or a calendar,
/// or refer to weeks of the year, the app computes the dates when it adds the request: 64 of them for a repeating
/// trigger.
///
/// <https://developer.apple.com/documentation/usernotifications/uncalendarnotificationtrigger>
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// The components to match.
    public let dateComponents: DateComponents

    /// Creates a trigger that matches components.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// When the notification is next delivered; nil if the components never match, or never match again.
    open func nextTriggerDate() -> Date? { dates(1).first }

    override func trigger() -> NotificationTrigger {
        if let pattern { return .calendar(pattern, repeats: repeats) }
        return .dates(dates(repeats ? LocalNotification.mostDates : 1))
    }

    /// The components in the form that the daemon can evaluate; nil if they need a calendar.
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
            // A search for components that do not exist in any calendar would never end.
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

/// The trigger of a notification that came over the network: there are no such notifications here.
///
/// <https://developer.apple.com/documentation/usernotifications/unpushnotificationtrigger>
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {}

extension CivilZone {
    /// The local time in the time zone of a calendar.
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
