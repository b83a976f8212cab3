// SPDX-License-Identifier: Apache-2.0

/// Remote notifications and the old way of fetching in background: declared, and answered with "no".
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

    /// Without effect: nothing calls `application(_:performFetchWithCompletionHandler:)`.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {}
}
