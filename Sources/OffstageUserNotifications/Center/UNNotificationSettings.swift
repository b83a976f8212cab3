// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Whether something is shown.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsetting>
public enum UNNotificationSetting: Int, Sendable {
    case notSupported = 0
    case disabled = 1
    case enabled = 2
}

/// Whether previews are shown.
///
/// <https://developer.apple.com/documentation/usernotifications/unshowpreviewssetting>
public enum UNShowPreviewsSetting: Int, Sendable {
    case always = 0
    case whenAuthenticated = 1
    case never = 2
}

/// What the app may show.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsettings>
open class UNNotificationSettings: NSObject, @unchecked Sendable {
    /// What a person has said.
    public let authorizationStatus: UNAuthorizationStatus
    private let options: UNAuthorizationOptions

    init(_ status: UNAuthorizationStatus, _ options: UNAuthorizationOptions) {
        authorizationStatus = status
        self.options = options
    }

    private func setting(_ option: UNAuthorizationOptions) -> UNNotificationSetting {
        authorizationStatus == .authorized && options.contains(option) ? .enabled : .disabled
    }

    /// Notifications themselves.
    open var alertSetting: UNNotificationSetting { setting(.alert) }
    /// Their sound.
    open var soundSetting: UNNotificationSetting { setting(.sound) }
    /// As urgent as can be.
    open var criticalAlertSetting: UNNotificationSetting { setting(.criticalAlert) }
    /// There are no icons here.
    open var badgeSetting: UNNotificationSetting { .notSupported }
    /// The list of what was delivered.
    open var notificationCenterSetting: UNNotificationSetting { setting(.alert) }
    /// There is no lock screen here.
    open var lockScreenSetting: UNNotificationSetting { .notSupported }
    /// There are no cars here.
    open var carPlaySetting: UNNotificationSetting { .notSupported }
    /// What is urgent is shown as such.
    open var timeSensitiveSetting: UNNotificationSetting { setting(.alert) }
    /// The desktop decides.
    open var showPreviewsSetting: UNShowPreviewsSetting { .always }
    /// There is no button for the app's own settings here.
    open var providesAppNotificationSettings: Bool { false }
}
