// SPDX-License-Identifier: Apache-2.0

/// The settings of one app; every key is optional.
package struct AppSettings: Sendable, Equatable, Codable {
    /// As `Settings.backgroundTime`.
    package var backgroundTime: String?
    /// Whether the app's refresh tasks run, whatever `DeferredWorkSettings.refresh` says.
    package var backgroundRefresh: Bool?
    /// Whether the app may notify, whatever `Settings.notifications` says.
    package var notifications: Bool?

    package init(backgroundTime: String? = nil, backgroundRefresh: Bool? = nil, notifications: Bool? = nil) {
        self.backgroundTime = backgroundTime
        self.backgroundRefresh = backgroundRefresh
        self.notifications = notifications
    }
}
