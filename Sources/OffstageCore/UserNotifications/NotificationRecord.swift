// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A notification of an app with its progress, as stored.
package struct NotificationRecord: Sendable, Hashable, Codable {
    package enum Due: Sendable, Hashable, Codable {
        /// A time interval from the request.
        case deadline(Deadline)
        /// A date that the wall clock must reach.
        case date(Date)
    }

    package enum Phase: Sendable, Hashable, Codable {
        case pending(Due)
        case delivered(Date)
        /// A person has answered it, and its app has not finished receiving the answer; with the number of the errand.
        case answered(NotificationAnswer, delivered: Date, number: UInt64, attempts: Int)
    }

    package var app: String
    package var request: LocalNotification
    package var phase: Phase

    package init(app: String, request: LocalNotification, phase: Phase) {
        self.app = app
        self.request = request
        self.phase = phase
    }

    /// There may be one record in each place for an app and identifier.
    package enum Place: Int64, Sendable, Hashable, CaseIterable {
        case pending, delivered, answered
    }

    package var place: Place {
        switch phase {
        case .pending: .pending
        case .delivered: .delivered
        case .answered: .answered
        }
    }

    /// When it was or will be shown, for people.
    package func date(at now: Moment) -> Date {
        switch phase {
        case .pending(.deadline(let deadline)): deadline.date(at: now)
        case .pending(.date(let date)), .delivered(let date), .answered(_, let date, _, _): date
        }
    }

    /// Whether it should be delivered now.
    package func isDue(at now: Moment) -> Bool {
        switch phase {
        case .pending(.deadline(let deadline)): deadline.isDue(at: now)
        case .pending(.date(let date)): date <= now.wall
        case .delivered, .answered: false
        }
    }
}

/// A person's response to a notification: `UNNotificationResponse`.
package struct NotificationAnswer: Sendable, Hashable, Codable {
    /// The action's identifier; `defaultAction` for the notification itself, `dismissAction` for its removal.
    package var action: String
    /// The typed text, for an action with a text.
    package var text: String?

    package init(action: String, text: String? = nil) {
        self.action = action
        self.text = text
    }

    /// `UNNotificationDefaultActionIdentifier`
    package static let defaultAction = "com.apple.UNNotificationDefaultActionIdentifier"
    /// `UNNotificationDismissActionIdentifier`
    package static let dismissAction = "com.apple.UNNotificationDismissActionIdentifier"

    /// The most bytes of a typed text.
    package static let mostTextBytes = 64 << 10

    /// Whether it is a click, a removal, or one of the actions that a notification offers.
    package func isAmong(_ offered: [String]) -> Bool {
        action == Self.defaultAction || action == Self.dismissAction || offered.contains(action)
    }

    /// Whether its text is longer than allowed.
    package var isTooLong: Bool { (text ?? "").utf8.count > Self.mostTextBytes }
}

/// An app's permission to notify, and its categories: one for each app that has ever asked.
package struct NotificationStanding: Sendable, Hashable, Codable {
    package struct Action: Sendable, Hashable, Codable {
        package var identifier: String
        package var title: String
        /// `UNNotificationActionOptions.rawValue`
        package var options: UInt
        /// The title of the text button; nil for an action without text.
        package var textTitle: String?

        package init(identifier: String, title: String, options: UInt, textTitle: String? = nil) {
            self.identifier = identifier
            self.title = title
            self.options = options
            self.textTitle = textTitle
        }

        /// `UNNotificationActionOptions.foreground`
        package var opensApp: Bool { options & 4 != 0 }
    }

    package struct Category: Sendable, Hashable, Codable {
        package var identifier: String
        package var actions: [Action]
        package var intents: [String]
        /// `UNNotificationCategoryOptions.rawValue`
        package var options: UInt

        package init(identifier: String, actions: [Action], intents: [String], options: UInt) {
            self.identifier = identifier
            self.actions = actions
            self.intents = intents
            self.options = options
        }

        /// `UNNotificationCategoryOptions.customDismissAction`
        package var hearsOfDismissal: Bool { options & 1 != 0 }
    }

    package var app: String
    /// The requested `UNAuthorizationOptions.rawValue`; nil before any request.
    package var options: UInt?
    package var categories: [Category] = []

    package init(app: String) { self.app = app }

    package func category(_ identifier: String) -> Category? { categories.first { $0.identifier == identifier } }

    /// Why these categories cannot be kept; nil if they can.
    package static func problem(of categories: [Category]) -> String? {
        let actions = categories.flatMap(\.actions)
        let texts =
            categories.flatMap { [$0.identifier] + $0.intents }
            + actions.flatMap {
                [$0.identifier, $0.title, $0.textTitle ?? ""]
            }
        guard categories.count <= 100, actions.count <= 1000, texts.count <= 4000 else {
            return "An app may have at most 100 categories of notifications and 1000 actions."
        }
        return texts.contains { $0.utf8.count > 1024 }
            ? "Each text of a notification's category may have at most 1024 bytes." : nil
    }
}

/// One change of the stored notifications.
package enum NotificationChange: Sendable, Hashable {
    /// Replaces a record with the same app, identifier and place.
    case put(NotificationRecord)
    case delete(app: String, identifier: String, NotificationRecord.Place)
    case putStanding(NotificationStanding)
    case deleteApp(String)
}
