// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// A request for a notification: its content and its time.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationrequest>
open class UNNotificationRequest: NSObject, @unchecked Sendable {
    /// The identifier by which the request is removed or replaced.
    public let identifier: String
    /// The content to show.
    public let content: UNNotificationContent
    /// When to show the notification; nil to show it immediately.
    public let trigger: UNNotificationTrigger?

    /// Creates a request.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content.copy() as? UNNotificationContent ?? content
        self.trigger = trigger
    }
}

/// A notification that was delivered.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotification>
open class UNNotification: NSObject, @unchecked Sendable {
    /// When the notification was delivered.
    public let date: Date
    /// The request that led to the notification.
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }
}

/// A person's response to a notification.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationresponse>
open class UNNotificationResponse: NSObject, @unchecked Sendable {
    /// The notification that was answered.
    public let notification: UNNotification
    /// The action's identifier, or `UNNotificationDefaultActionIdentifier` or `UNNotificationDismissActionIdentifier`.
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

/// A response to an action that accepts text.
///
/// <https://developer.apple.com/documentation/usernotifications/untextinputnotificationresponse>
open class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
    /// The text that was typed.
    public let userText: String

    init(notification: UNNotification, actionIdentifier: String, userText: String) {
        self.userText = userText
        super.init(notification: notification, actionIdentifier: actionIdentifier)
    }
}

/// The identifier of the action that opens the notification itself.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
/// The identifier of the action that dismisses the notification.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
