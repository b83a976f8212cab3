// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A notification's texts and its app's own data: `UNNotificationContent`.
package struct NotificationContent: Sendable, Hashable, Codable {
    package var title = ""
    package var subtitle = ""
    package var body = ""
    package var badge: Int?
    /// The name of a sound; empty for the default one, nil for none.
    package var sound: String?
    package var category = ""
    package var thread = ""
    /// A property list in binary form.
    package var userInfo: Data?
    /// `UNNotificationInterruptionLevel.rawValue`: 0 passive, 1 active, 2 time sensitive, 3 critical.
    package var interruption = 1

    package init() {}

    /// One line for a desktop: the title, or its substitute.
    package var headline: String { [title, subtitle, body].first { !$0.isEmpty } ?? "" }
}

/// When a notification is delivered.
package enum NotificationTrigger: Sendable, Hashable, Codable {
    case immediately
    case interval(seconds: Double, repeats: Bool)
    /// By the machine's local time at the moment of delivery.
    case calendar(CalendarPattern, repeats: Bool)
    /// At each of these dates, computed by the app's own calendar, earliest first.
    case dates([Date])
}

/// A request for a notification: `UNNotificationRequest`.
package struct LocalNotification: Sendable, Hashable, Codable {
    package var identifier: String
    package var content: NotificationContent
    package var trigger: NotificationTrigger

    package init(identifier: String, content: NotificationContent, trigger: NotificationTrigger) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }

    /// The most bytes of texts and `userInfo`: all of an app's notifications must fit in one answer.
    package static let mostBytes = 16 << 10
    /// The most dates in a request: as many as an app may have pending.
    package static let mostDates = 64

    /// Why it cannot be accepted; nil if it can.
    package var problem: String? {
        let texts = [
            content.title, content.subtitle, content.body, content.sound ?? "", content.category, content.thread,
        ]
        if identifier.isEmpty { return "A notification request needs an identifier." }
        if identifier.utf8.count > 1024 { return "The identifier of a notification may have at most 1024 bytes." }
        let bytes = texts.reduce(content.userInfo?.count ?? 0) { $0.addingClamped($1.utf8.count) }
        if bytes > Self.mostBytes {
            return "The texts and the userInfo of a notification may together have at most 16 KiB."
        }
        switch trigger {
        case .immediately: return nil
        case .interval(let seconds, let repeats):
            guard Durations.range.contains(seconds), seconds > 0 else {
                return "The time interval of a notification must be longer than 0 seconds."
            }
            return repeats && seconds < 60 ? "A repeating time interval must be at least 60 seconds." : nil
        case .calendar(let pattern, _):
            return pattern.makesSense ? nil : "The date components of a notification match no time on a clock."
        case .dates(let dates):
            guard (1...Self.mostDates).contains(dates.count), dates.allSatisfy(CalendarDates.range.contains) else {
                return "The date of a notification is invalid, or will never come."
            }
            return nil
        }
    }
}
