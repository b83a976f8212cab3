// SPDX-License-Identifier: Apache-2.0

/// The types of presentation that an app requests.
///
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationoptions>
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set of options from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The badge on the app's icon, which does not exist here.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// A sound.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// The notification itself.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// Notifications in CarPlay; no effect here.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// Critical alerts, the most urgent level.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A button for the app's own settings; no effect here.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Authorization without asking the person, who is never asked here anyway.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// How to present a notification that arrives while the app is in the foreground.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationpresentationoptions>
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set of options from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The badge on the app's icon, which does not exist here.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// A sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// On the desktop, and in the list; replaced by `banner` and `list` in iOS 14.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// In the list of delivered notifications; desktops have one place for both.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// On the desktop.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}

/// Whether an app may show notifications.
///
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationstatus>
public enum UNAuthorizationStatus: Int, Sendable {
    /// The app has not requested authorization.
    case notDetermined = 0
    /// The `notifications` setting denies notifications.
    case denied = 1
    /// The app has requested authorization, and no setting denies notifications.
    case authorized = 2
    /// Not used here: an authorization is either complete or denied.
    case provisional = 3
    /// Not used here: there are no App Clips.
    case ephemeral = 4
}
