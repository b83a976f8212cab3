// SPDX-License-Identifier: Apache-2.0

/// What a person may set for one app; every key may be left out.
package struct AppSettings: Sendable, Equatable, Codable {
    /// As `Settings.backgroundTime`.
    package var backgroundTime: String?

    package init(backgroundTime: String? = nil) { self.backgroundTime = backgroundTime }
}
