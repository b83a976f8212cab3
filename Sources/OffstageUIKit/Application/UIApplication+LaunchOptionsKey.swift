// SPDX-License-Identifier: Apache-2.0

extension UIApplication {
    /// The reason why an app was launched. As on Apple's platforms, there is no key for a background session's events;
    /// the launch options are always nil here.
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String

        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A URL to open.
        public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// The app that made the request.
        public static let sourceApplication = Self(rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
        /// A remote notification.
        public static let remoteNotification = Self(rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// A local notification.
        public static let localNotification = Self(rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
        /// The data that came with a URL.
        public static let annotation = Self(rawValue: "UIApplicationLaunchOptionsAnnotationKey")
        /// A location event.
        public static let location = Self(rawValue: "UIApplicationLaunchOptionsLocationKey")
        /// Newsstand downloads.
        public static let newsstandDownloads = Self(rawValue: "UIApplicationLaunchOptionsNewsstandDownloadsKey")
        /// Bluetooth centrals to restore.
        public static let bluetoothCentrals = Self(rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
        /// Bluetooth peripherals to restore.
        public static let bluetoothPeripherals = Self(rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
        /// A selected quick action.
        public static let shortcutItem = Self(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
        /// A user activity to continue.
        public static let userActivityDictionary =
            Self(rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
        /// The type of the user activity.
        public static let userActivityType = Self(rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
        /// An accepted share.
        public static let cloudKitShareMetadata = Self(rawValue: "UIApplicationLaunchOptionsCloudKitShareMetadataKey")
        /// The attribution of a tap in another app.
        public static let eventAttribution = Self(rawValue: "UIApplicationLaunchOptionsEventAttributionKey")
    }
}
