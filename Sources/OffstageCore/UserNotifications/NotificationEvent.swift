// SPDX-License-Identifier: Apache-2.0

/// An event for the notifications of apps.
package enum NotificationEvent: Sendable, Hashable {
    /// An app requests authorization; `UNAuthorizationOptions.rawValue`.
    case authorize(app: String, options: UInt)
    case setCategories(app: String, [NotificationStanding.Category])
    case add(app: String, LocalNotification)
    /// Remove the notifications with these identifiers; nil for all.
    case remove(app: String, NotificationRecord.Place, identifiers: [String]?)
    /// A person has answered a delivered notification. The number is for the errand that notifies the app.
    case answer(app: String, identifier: String, NotificationAnswer, number: UInt64)
    /// The app, in front, has decided how to present the due notification:
    /// `UNNotificationPresentationOptions.rawValue`.
    case presented(number: UInt64, options: UInt)
    /// An errand of the app's process has ended. Its end shows whether the app's code was reached, and whether to try
    /// again.
    case errandEnded(number: UInt64, NotificationErrand.End)
    case appRemoved(String)
    case timeIsUp
    /// A daemon has just started, and all apps have been found.
    case restored
}

/// Actions for notifications, in this order.
package enum NotificationAction: Sendable, Hashable {
    case store(NotificationChange)
    /// Show it if there is a desktop; the app's story always contains it.
    case show(NotificationRecord, NotificationStanding.Category?)
    /// Remove it from view.
    case withdraw(app: String, identifier: String)
    /// The app is in front and has chosen, or has not answered whether, to keep it silent.
    case keptSilent(NotificationRecord)
    /// The app comes to the front.
    case open(app: String)
    /// Launch or wake the app's process for an errand.
    case start(NotificationErrand)
    /// The app has received an answer, or never will.
    case answered(NotificationRecord, NotificationErrand.End)
}

/// A job of an app's process for a notification, during which it may run in background.
package struct NotificationErrand: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// `userNotificationCenter(_:willPresent:withCompletionHandler:)`
        case present
        /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`
        case answer
    }

    package enum End: Sendable, Hashable {
        /// The completion handler was called, or its time was over.
        case done
        /// The app has no delegate.
        case noDelegate
        /// Its code was not reached or did not finish, because the process ended or could not be started.
        case failed
    }

    package var number: UInt64
    package var kind: Kind
    package var record: NotificationRecord

    package init(number: UInt64, kind: Kind, record: NotificationRecord) {
        self.number = number
        self.kind = kind
        self.record = record
    }

    /// The errand's name in the app's life and story. No task of an app can have this name: its `Info.plist` would have
    /// to permit it.
    package var identifier: String {
        (kind == .present ? Self.presentPrefix : Self.answerPrefix) + record.request.identifier
    }

    /// Whether a run of this name is an errand.
    package static func isErrand(_ identifier: String) -> Bool {
        identifier.hasPrefix(presentPrefix) || identifier.hasPrefix(answerPrefix)
    }

    package static let presentPrefix = "notification to show: "
    package static let answerPrefix = "answer to notification: "
}
