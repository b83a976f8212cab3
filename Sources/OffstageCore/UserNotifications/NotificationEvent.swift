// SPDX-License-Identifier: Apache-2.0

/// What happens to the notifications of apps.
package enum NotificationEvent: Sendable, Hashable {
    /// An app asks for what it may show; `UNAuthorizationOptions.rawValue`.
    case authorize(app: String, options: UInt)
    case setCategories(app: String, [NotificationStanding.Category])
    case add(app: String, LocalNotification)
    /// Of some identifiers, or of all.
    case remove(app: String, NotificationRecord.Place, identifiers: [String]?)
    /// A person has answered what was delivered. The number is for the errand that tells the app.
    case answer(app: String, identifier: String, NotificationAnswer, number: UInt64)
    /// The app, in front, says whether what is due is to be seen: `UNNotificationPresentationOptions.rawValue`.
    case presented(number: UInt64, options: UInt)
    /// An errand of the app's process has come to its end; whether its code was reached, and whether it may be tried again.
    case errandEnded(number: UInt64, NotificationErrand.End)
    case appRemoved(String)
    case timeIsUp
    /// A daemon has just begun, and every app was found.
    case restored
}

/// What is to be done about notifications, in this order.
package enum NotificationAction: Sendable, Hashable {
    case store(NotificationChange)
    /// Shown where there is a desktop; the app's story has it in any case.
    case show(NotificationRecord, NotificationStanding.Category?)
    /// Not seen any more.
    case withdraw(app: String, identifier: String)
    /// The app is in front, and has said, or not said, that it is not to be seen.
    case keptSilent(NotificationRecord)
    /// The app comes to the front.
    case open(app: String)
    /// The app's process is brought to run, for an errand.
    case start(NotificationErrand)
    /// The app has heard of an answer, or will not.
    case answered(NotificationRecord, NotificationErrand.End)
}

/// Something that an app's process is asked to do about a notification, while it may run in background.
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
        /// Its code was not reached, or did not come to its end, since the process ended or could not be had.
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

    /// The name that the app's life and story know it by. No task of an app's is called so: its `Info.plist` would have to
    /// permit it.
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
