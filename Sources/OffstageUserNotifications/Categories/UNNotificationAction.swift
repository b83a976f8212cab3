// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// What an action needs.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationactionoptions>
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Only on an unlocked device: here always.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)
    /// It destroys something.
    public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)
    /// It brings the app to the front.
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}

/// A picture of an action; it is not shown.
open class UNNotificationActionIcon: NSObject, @unchecked Sendable {
    /// An image of the system.
    public init(systemImageName: String) {}
    /// An image of the app.
    public init(templateImageName: String) {}
}

/// A button of a notification.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationaction>
open class UNNotificationAction: NSObject, @unchecked Sendable {
    /// By which the delegate knows it.
    public let identifier: String
    /// What is written on it.
    public let title: String
    /// What it needs.
    public let options: UNNotificationActionOptions

    /// An action.
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.identifier = identifier
        self.title = title
        self.options = options
    }

    /// An action with a picture.
    public convenience init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon?
    ) { self.init(identifier: identifier, title: title, options: options) }

    var value: NotificationStanding.Action {
        NotificationStanding.Action(identifier: identifier, title: title, options: options.rawValue)
    }

    static func make(_ value: NotificationStanding.Action) -> UNNotificationAction {
        let options = UNNotificationActionOptions(rawValue: value.options)
        guard let text = value.textTitle else {
            return UNNotificationAction(identifier: value.identifier, title: value.title, options: options)
        }
        return UNTextInputNotificationAction(
            identifier: value.identifier,
            title: value.title,
            options: options,
            textInputButtonTitle: text,
            textInputPlaceholder: ""
        )
    }
}

/// An action that takes text. Desktops have none; `offstage notifications answer --action ID --text TEXT` does.
///
/// <https://developer.apple.com/documentation/usernotifications/untextinputnotificationaction>
open class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
    /// What is written on the button that sends the text.
    public let textInputButtonTitle: String
    /// What stands where nothing was typed.
    public let textInputPlaceholder: String

    /// An action that takes text.
    public init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.textInputButtonTitle = textInputButtonTitle
        self.textInputPlaceholder = textInputPlaceholder
        super.init(identifier: identifier, title: title, options: options)
    }

    override var value: NotificationStanding.Action {
        NotificationStanding.Action(
            identifier: identifier,
            title: title,
            options: options.rawValue,
            textTitle: textInputButtonTitle
        )
    }
}
