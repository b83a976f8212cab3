// SPDX-License-Identifier: Apache-2.0

extension UIApplication {
    /// Why an app was launched. As on Apple's platforms, there is no key for a background session's events; here the
    /// launch options are always nil.
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String

        /// A key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A URL to open.
        public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// The app that made the request.
        public static let sourceApplication = Self(rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
        /// A remote notification.
        public static let remoteNotification = Self(rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// A local notification.
        public static let localNotification = Self(rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
        /// What came with a URL.
        public static let annotation = Self(rawValue: "UIApplicationLaunchOptionsAnnotationKey")
        /// A change of place.
        public static let location = Self(rawValue: "UIApplicationLaunchOptionsLocationKey")
        /// Fetched issues.
        public static let newsstandDownloads = Self(rawValue: "UIApplicationLaunchOptionsNewsstandDownloadsKey")
        /// Bluetooth centrals to restore.
        public static let bluetoothCentrals = Self(rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
        /// Bluetooth peripherals to restore.
        public static let bluetoothPeripherals = Self(rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
        /// A chosen shortcut.
        public static let shortcutItem = Self(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
        /// An activity to continue.
        public static let userActivityDictionary =
            Self(rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
        /// Its type.
        public static let userActivityType = Self(rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
        /// An accepted share.
        public static let cloudKitShareMetadata = Self(rawValue: "UIApplicationLaunchOptionsCloudKitShareMetadataKey")
        /// Where a tap came from.
        public static let eventAttribution = Self(rawValue: "UIApplicationLaunchOptionsEventAttributionKey")
    }
}
