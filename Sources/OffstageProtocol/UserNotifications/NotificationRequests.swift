// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

// MARK: - What apps ask. The app is who the kernel says the process is.

/// Asks for what the app may show; a person has the say by the setting `notifications`.
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

/// Takes a request; one with the same identifier that is pending gives way. Answered when that is durable.
package struct AddNotification: WireRequest {
    package static let name = "notifications.add"
    package struct Reply: Codable, Sendable, Equatable {
        /// Why nothing may be shown; nil when the request was taken.
        package var refusal: String?
        package init(refusal: String?) { self.refusal = refusal }
    }
    package var request: LocalNotification
    package init(request: LocalNotification) { self.request = request }
}

/// Removes what is pending, or what was delivered: of some identifiers, or all of it.
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

/// What the app has asked for, and may do.
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

/// Names the kinds of notifications that the app has, in the place of those before.
package struct SetNotificationCategories: WireRequest {
    package static let name = "notifications.categories"
    package typealias Reply = Empty
    package var categories: [NotificationStanding.Category]
    package init(categories: [NotificationStanding.Category]) { self.categories = categories }
}

/// What an errand is about that the app's process was told to run.
package struct TakeNotificationErrand: WireRequest {
    package static let name = "notifications.errand"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil for one that is not under way any more.
        package var notification: DeliveredNotification?
        /// What a person has answered; nil when it is to be presented.
        package var answer: NotificationAnswer?
        package init(notification: DeliveredNotification?, answer: NotificationAnswer?) {
            self.notification = notification
            self.answer = answer
        }
    }
    package var number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Whether what is due is to be seen while the app is in front: `UNNotificationPresentationOptions.rawValue`.
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

// MARK: - What people ask.

/// Notifications of one app, or of all: what is pending, earliest first, and what was delivered, newest first.
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
    /// When it was delivered, or is to be.
    package var date: Date
    package var repeats: Bool
    /// The actions that it offers: identifier and title.
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

/// Answers a delivered notification, as a click on a desktop does.
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

// MARK: - What the program asks that shows notifications on a desktop.

/// Has the connection told what is to be shown, by `DesktopCommand` frames, until it hangs up.
package struct AttachDesktop: WireRequest {
    package static let name = "desktop.attach"
    package typealias Reply = Empty
    package init() {}
}

package enum DesktopCommand: Codable, Sendable, Equatable {
    case show(DesktopNotification)
    case close(key: UInt64)

    /// The name of the frame that carries one.
    package static let name = "desktop"
}

package struct DesktopNotification: Codable, Sendable, Equatable {
    package var key: UInt64
    /// The name of the app, for people.
    package var appName: String
    package var title: String
    package var body: String
    package var actions: [NotificationStanding.Action]
    /// 0 low, 1 normal, 2 critical.
    package var urgency: UInt8
    package var isSilent: Bool
    package init(
        key: UInt64,
        appName: String,
        title: String,
        body: String,
        actions: [NotificationStanding.Action],
        urgency: UInt8,
        isSilent: Bool
    ) {
        self.key = key
        self.appName = appName
        self.title = title
        self.body = body
        self.actions = actions
        self.urgency = urgency
        self.isSilent = isSilent
    }
}

/// What has come of something that was to be shown.
package struct ReportDesktop: WireRequest {
    package static let name = "desktop.report"
    package typealias Reply = Empty
    package enum Outcome: Codable, Sendable, Equatable {
        case shown
        case failed(String)
        /// A person has clicked: on the notification itself, or on an action of it.
        case answered(NotificationAnswer)
    }
    package var key: UInt64
    package var outcome: Outcome
    package init(key: UInt64, outcome: Outcome) {
        self.key = key
        self.outcome = outcome
    }
}
