// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Whether a type of presentation is available.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsetting>
public enum UNNotificationSetting: Int, Sendable {
    /// The presentation does not exist here.
    case notSupported = 0
    /// The app has not requested the presentation, or may not show notifications.
    case disabled = 1
    /// The presentation is available.
    case enabled = 2
}

/// Whether previews are shown.
///
/// <https://developer.apple.com/documentation/usernotifications/unshowpreviewssetting>
public enum UNShowPreviewsSetting: Int, Sendable {
    /// Previews are always shown.
    case always = 0
    /// Previews are shown when the screen is not locked.
    case whenAuthenticated = 1
    /// Previews are never shown.
    case never = 2
}

/// The presentation that is available to the app.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsettings>
open class UNNotificationSettings: NSObject, @unchecked Sendable {
    /// Whether the app may show notifications.
    public let authorizationStatus: UNAuthorizationStatus
    private let options: UNAuthorizationOptions

    init(_ status: UNAuthorizationStatus, _ options: UNAuthorizationOptions) {
        authorizationStatus = status
        self.options = options
    }

    private func setting(_ option: UNAuthorizationOptions) -> UNNotificationSetting {
        authorizationStatus == .authorized && options.contains(option) ? .enabled : .disabled
    }

    /// Whether notifications are shown.
    open var alertSetting: UNNotificationSetting { setting(.alert) }
    /// Whether notifications play a sound.
    open var soundSetting: UNNotificationSetting { setting(.sound) }
    /// Whether critical alerts, the most urgent ones, are shown.
    open var criticalAlertSetting: UNNotificationSetting { setting(.criticalAlert) }
    /// Not supported: apps have no icons here.
    open var badgeSetting: UNNotificationSetting { .notSupported }
    /// Whether notifications appear in the list of delivered notifications.
    open var notificationCenterSetting: UNNotificationSetting { setting(.alert) }
    /// Not supported: there is no lock screen here.
    open var lockScreenSetting: UNNotificationSetting { .notSupported }
    /// Not supported: there is no CarPlay here.
    open var carPlaySetting: UNNotificationSetting { .notSupported }
    /// Whether urgent notifications are shown as such.
    open var timeSensitiveSetting: UNNotificationSetting { setting(.alert) }
    /// Always `always`: the desktop decides.
    open var showPreviewsSetting: UNShowPreviewsSetting { .always }
    /// Whether there is a button for the app's own settings: always false.
    open var providesAppNotificationSettings: Bool { false }
}
