// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import OffstageProtocol

/// Converts between Apple's types and the daemon's.
enum Conversion {
    /// - Throws: `UNError` if the `userInfo` of the content is not a property list.
    static func request(_ request: UNNotificationRequest) throws(UNError) -> LocalNotification {
        var content = request.content.values
        let information = request.content.userInfo
        if !information.isEmpty {
            do {
                content.userInfo = try PropertyListSerialization.data(
                    fromPropertyList: information,
                    format: .binary,
                    options: 0
                )
            } catch {
                throw UNError(
                    .notificationInvalidNoContent,
                    "The userInfo of notification '\(request.identifier)' is not a property list: put strings, numbers, dates, data, arrays and dictionaries of these into it."
                )
            }
        }
        return LocalNotification(
            identifier: request.identifier,
            content: content,
            trigger: request.trigger?.trigger() ?? .immediately
        )
    }

    static func request(_ notification: LocalNotification) -> UNNotificationRequest {
        UNNotificationRequest(
            identifier: notification.identifier,
            content: UNNotificationContent(
                notification.content,
                information: information(notification.content.userInfo)
            ),
            trigger: trigger(notification.trigger)
        )
    }

    static func notification(_ delivered: DeliveredNotification) -> UNNotification {
        UNNotification(date: delivered.date, request: request(delivered.request))
    }

    static func response(_ delivered: DeliveredNotification, _ answer: NotificationAnswer) -> UNNotificationResponse {
        let notification = notification(delivered)
        guard let text = answer.text else {
            return UNNotificationResponse(notification: notification, actionIdentifier: answer.action)
        }
        return UNTextInputNotificationResponse(
            notification: notification,
            actionIdentifier: answer.action,
            userText: text
        )
    }

    private static func information(_ data: Data?) -> [AnyHashable: Any] {
        guard let data, let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        else { return [:] }
        return list as? [AnyHashable: Any] ?? [:]
    }

    private static func trigger(_ trigger: NotificationTrigger) -> UNNotificationTrigger? {
        switch trigger {
        case .immediately: nil
        case .interval(let seconds, let repeats):
            seconds > 0 && (!repeats || seconds >= 60)
                ? UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats) : nil
        case .calendar(let pattern, let repeats):
            UNCalendarNotificationTrigger(dateMatching: components(pattern), repeats: repeats)
        case .dates(let dates):
            dates.first.map { first in
                let calendar = Calendar(identifier: .gregorian)
                let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: first)
                return UNCalendarNotificationTrigger(dateMatching: parts, repeats: dates.count > 1)
            }
        }
    }

    private static func components(_ pattern: CalendarPattern) -> DateComponents {
        var parts = DateComponents()
        parts.year = pattern.year
        parts.month = pattern.month
        parts.day = pattern.day
        parts.weekday = pattern.weekday
        parts.weekdayOrdinal = pattern.weekdayOrdinal
        parts.hour = pattern.hour
        parts.minute = pattern.minute
        parts.second = pattern.second
        return parts
    }
}
