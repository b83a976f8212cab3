// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// The behaviour of an action.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationactionoptions>
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set of options from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The action requires an unlocked device: always the case here.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)
    /// The action is destructive.
    public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)
    /// The action brings the app to the foreground.
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}

/// An icon of an action; it is not shown.
open class UNNotificationActionIcon: NSObject, @unchecked Sendable {
    /// Creates an icon from a system image.
    public init(systemImageName: String) {}
    /// Creates an icon from an image of the app.
    public init(templateImageName: String) {}
}

/// A button of a notification.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationaction>
open class UNNotificationAction: NSObject, @unchecked Sendable {
    /// The identifier by which the delegate recognizes the action.
    public let identifier: String
    /// The title of the button.
    public let title: String
    /// The behaviour of the action.
    public let options: UNNotificationActionOptions

    /// Creates an action.
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.identifier = identifier
        self.title = title
        self.options = options
    }

    /// Creates an action with an icon.
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

/// An action that accepts text. Desktops have no such action; `offstage notifications answer --action ID --text TEXT`
/// performs one.
///
/// <https://developer.apple.com/documentation/usernotifications/untextinputnotificationaction>
open class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
    /// The title of the button that sends the text.
    public let textInputButtonTitle: String
    /// The placeholder that is shown until text is typed.
    public let textInputPlaceholder: String

    /// Creates an action that accepts text.
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
