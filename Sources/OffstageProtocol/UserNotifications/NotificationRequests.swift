// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

// MARK: - Requests of apps. The kernel identifies the process.

/// Requests permission to notify; a person decides through the setting `notifications`.
package struct AuthorizeNotifications: WireRequest {
    package static let name = "notifications.authorize"
    package struct Reply: Codable, Sendable, Equatable {
        package var isGranted: Bool
        package init(isGranted: Bool) { self.isGranted = isGranted }
    }
    /// `UNAuthorizationOptions.rawValue`
    package var options: UInt
    package init(options: UInt) { self.options = options }
}

/// Adds a request; it replaces a pending one with the same identifier. Answered once that is durable.
package struct AddNotification: WireRequest {
    package static let name = "notifications.add"
    package struct Reply: Codable, Sendable, Equatable {
        /// Why nothing may be shown; nil if the request was accepted.
        package var refusal: String?
        package init(refusal: String?) { self.refusal = refusal }
    }
    package var request: LocalNotification
    package init(request: LocalNotification) { self.request = request }
}

/// Removes pending or delivered notifications: those with some identifiers, or all.
package struct RemoveNotifications: WireRequest {
    package static let name = "notifications.remove"
    package typealias Reply = Empty
    package var isDelivered: Bool
    /// Nil for all.
    package var identifiers: [String]?
    package init(isDelivered: Bool, identifiers: [String]?) {
        self.isDelivered = isDelivered
        self.identifiers = identifiers
    }
}

/// The app's notifications and permissions.
package struct GetNotifications: WireRequest {
    package static let name = "notifications.get"
    package struct Reply: Codable, Sendable, Equatable {
        package var pending: [LocalNotification]
        package var delivered: [DeliveredNotification]
        package var standing: NotificationStanding
        /// Whether the setting allows notifications of the app.
        package var isAllowed: Bool
        package init(
            pending: [LocalNotification],
            delivered: [DeliveredNotification],
            standing: NotificationStanding,
            isAllowed: Bool
        ) {
            self.pending = pending
            self.delivered = delivered
            self.standing = standing
            self.isAllowed = isAllowed
        }
    }
    package init() {}
}

package struct DeliveredNotification: Codable, Sendable, Hashable {
    package var request: LocalNotification
    package var date: Date
    package init(request: LocalNotification, date: Date) {
        self.request = request
        self.date = date
    }
}

/// Sets the app's notification categories, replacing earlier ones.
package struct SetNotificationCategories: WireRequest {
    package static let name = "notifications.categories"
    package typealias Reply = Empty
    package var categories: [NotificationStanding.Category]
    package init(categories: [NotificationStanding.Category]) { self.categories = categories }
}

/// The content of an errand that the app's process was asked to run.
package struct TakeNotificationErrand: WireRequest {
    package static let name = "notifications.errand"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil if the errand is no longer under way.
        package var notification: DeliveredNotification?
        /// A person's answer; nil if the notification should be presented.
        package var answer: NotificationAnswer?
        package init(notification: DeliveredNotification?, answer: NotificationAnswer?) {
            self.notification = notification
            self.answer = answer
        }
    }
    package var number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// How a due notification is presented while the app is in front: `UNNotificationPresentationOptions.rawValue`.
package struct PresentNotification: WireRequest {
    package static let name = "notifications.present"
    package typealias Reply = Empty
    package var number: UInt64
    package var options: UInt
    package init(number: UInt64, options: UInt) {
        self.number = number
        self.options = options
    }
}

// MARK: - Requests of people.

/// Notifications of one app, or of all: pending ones, earliest first, and delivered ones, newest first.
package struct ListNotifications: WireRequest {
    package static let name = "notifications.list"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [NotificationRow]
        /// How many there are in all.
        package var count: Int
        package init(rows: [NotificationRow], count: Int) {
            self.rows = rows
            self.count = count
        }
    }
    package var app: String?
    package init(app: String?) { self.app = app }
}

package struct NotificationRow: Codable, Sendable, Hashable {
    package var app: String
    package var identifier: String
    package var title: String
    package var body: String
    package var isDelivered: Bool
    /// When it was or will be delivered.
    package var date: Date
    package var repeats: Bool
    /// Its actions: identifier and title.
    package var actions: [NotificationStanding.Action]
    package init(
        app: String,
        identifier: String,
        title: String,
        body: String,
        isDelivered: Bool,
        date: Date,
        repeats: Bool,
        actions: [NotificationStanding.Action]
    ) {
        self.app = app
        self.identifier = identifier
        self.title = title
        self.body = body
        self.isDelivered = isDelivered
        self.date = date
        self.repeats = repeats
        self.actions = actions
    }
}

/// Answers a delivered notification, like a click on the desktop.
package struct AnswerNotification: WireRequest {
    package static let name = "notifications.answer"
    package typealias Reply = Empty
    package var app: String
    package var identifier: String
    package var answer: NotificationAnswer
    package init(app: String, identifier: String, answer: NotificationAnswer) {
        self.app = app
        self.identifier = identifier
        self.answer = answer
    }
}

// MARK: - Requests of the program that shows notifications on a desktop.

/// Sends the connection the notifications to show, in `DesktopCommand` frames, until it closes.
package struct AttachDesktop: WireRequest {
    package static let name = "desktop.attach"
    package typealias Reply = Empty
    package init() {}
}

package enum DesktopCommand: Codable, Sendable, Equatable {
    case show(DesktopNotification)
    case close(key: UInt64)

    /// The name of the frame that carries a command.
    package static let name = "desktop"
}

package struct DesktopNotification: Codable, Sendable, Equatable {
    package var key: UInt64
    /// The app's name for people.
    package var appName: String
    package var title: String
    package var body: String
    package var actions: [NotificationStanding.Action]
    /// Whether a click on it opens something.
    package var opensApp: Bool
    /// 0 low, 1 normal, 2 critical.
    package var urgency: UInt8
    package var isSilent: Bool
    package init(
        key: UInt64,
        appName: String,
        title: String,
        body: String,
        actions: [NotificationStanding.Action],
        opensApp: Bool = true,
        urgency: UInt8,
        isSilent: Bool
    ) {
        self.key = key
        self.appName = appName
        self.title = title
        self.body = body
        self.actions = actions
        self.opensApp = opensApp
        self.urgency = urgency
        self.isSilent = isSilent
    }
}

/// The result of showing a notification.
package struct ReportDesktop: WireRequest {
    package static let name = "desktop.report"
    package typealias Reply = Empty
    package enum Outcome: Codable, Sendable, Equatable {
        case shown
        case failed(String)
        /// A person has clicked on the notification itself, or on one of its actions.
        case answered(NotificationAnswer)
    }
    package var key: UInt64
    package var outcome: Outcome
    package init(key: UInt64, outcome: Outcome) {
        self.key = key
        self.outcome = outcome
    }
}
