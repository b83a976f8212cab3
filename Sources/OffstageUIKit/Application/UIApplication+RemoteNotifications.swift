// SPDX-License-Identifier: Apache-2.0

/// Remote notifications, which are not supported, and the legacy background fetch.
extension UIApplication {
    /// The error that explains why there are no remote notifications.
    struct NoRemoteNotifications: LocalizedError {
        var errorDescription: String? { "There is no remote notification service on Linux." }
    }

    /// Whether the app is registered: no.
    public var isRegisteredForRemoteNotifications: Bool { false }

    /// Calls `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    public func registerForRemoteNotifications() {
        Stage.current.onMain {
            let application = UIApplication.shared
            let error = NoRemoteNotifications()
            application.delegate?.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
        }
    }

    /// Does nothing: the app is not registered.
    public func unregisterForRemoteNotifications() {}

    /// The smallest fetch interval: as often as the system allows.
    nonisolated public static let backgroundFetchIntervalMinimum: TimeInterval = 0
    /// The interval that disables background fetch.
    nonisolated public static let backgroundFetchIntervalNever = TimeInterval.greatestFiniteMagnitude

    /// Makes the daemon call `application(_:performFetchWithCompletionHandler:)` from time to time, launching or waking
    /// the app. It is called as often as refresh tasks run, at intervals of at least this many seconds and at least a
    /// quarter of an hour. This lasts until another interval is set. Returns immediately.
    ///
    /// As on a phone, `UIBackgroundModes` must contain `fetch`, and the method is not called for an app whose
    /// `Info.plist` has `BGTaskSchedulerPermittedIdentifiers`; a line on standard error points this out.
    ///
    /// <https://developer.apple.com/documentation/uikit/uiapplication/setminimumbackgroundfetchinterval(_:)>
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        BackgroundFetch.shared.setInterval(minimumBackgroundFetchInterval)
    }
}
