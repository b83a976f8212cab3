// SPDX-License-Identifier: Apache-2.0

/// What an app wants to show.
///
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationoptions>
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon; there is none here.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// A sound.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// The notification itself.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// In cars; nothing here.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// As urgent as can be.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A button for the app's own settings; nothing here.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Without a question to a person: none is asked here anyway.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// How a notification is presented of which the app hears in front.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationpresentationoptions>
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon; there is none here.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// A sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// On the desktop, and in the list; `banner` and `list` since iOS 14.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// In the list of what was delivered; desktops have one place for both.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// On the desktop.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}

/// What a person has said about an app's notifications.
///
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationstatus>
public enum UNAuthorizationStatus: Int, Sendable {
    /// The app has not asked.
    case notDetermined = 0
    /// The setting `notifications` forbids them.
    case denied = 1
    case authorized = 2
    case provisional = 3
    case ephemeral = 4
}
