// SPDX-License-Identifier: Apache-2.0

/// What a person may set for one app; every key may be left out.
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
