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

    private enum CodingKeys: String, CodingKey, CaseIterable { case backgroundTime, backgroundRefresh, notifications }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self, of: "apps")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        backgroundTime = try container.decodeIfPresent(String.self, forKey: .backgroundTime)
        backgroundRefresh = try container.decodeIfPresent(Bool.self, forKey: .backgroundRefresh)
        notifications = try container.decodeIfPresent(Bool.self, forKey: .notifications)
    }
}
