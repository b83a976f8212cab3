// SPDX-License-Identifier: Apache-2.0

/// Remote notifications, which are not supported, and the old way of fetching in the background.
extension UIApplication {
    /// Why there are no remote notifications.
    struct NoRemoteNotifications: LocalizedError {
        var errorDescription: String? { "There is no service of remote notifications on Linux." }
    }

    /// Whether the app is registered: no.
    public var isRegisteredForRemoteNotifications: Bool { false }

    /// Answered with `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    public func registerForRemoteNotifications() {
        Stage.current.onMain {
            let application = UIApplication.shared
            let error = NoRemoteNotifications()
            application.delegate?.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
        }
    }

    /// Without effect: the app is not registered.
    public func unregisterForRemoteNotifications() {}

    /// As often as the system likes.
    nonisolated public static let backgroundFetchIntervalMinimum: TimeInterval = 0
    /// Not at all.
    nonisolated public static let backgroundFetchIntervalNever = TimeInterval.greatestFiniteMagnitude

    /// Makes the daemon call `application(_:performFetchWithCompletionHandler:)` now and then, launching or waking the
    /// app: as often as refresh tasks run, at intervals of at least this many seconds, and at least a quarter of an
    /// hour. This lasts until another interval is set. Returns at once.
    ///
    /// As on a phone, `UIBackgroundModes` has to have `fetch`, and an app whose `Info.plist` has
    /// `BGTaskSchedulerPermittedIdentifiers` is not called; standard error says so.
    ///
    /// <https://developer.apple.com/documentation/uikit/uiapplication/setminimumbackgroundfetchinterval(_:)>
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        BackgroundFetch.shared.setInterval(minimumBackgroundFetchInterval)
    }
}
