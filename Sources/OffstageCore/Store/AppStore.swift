// SPDX-License-Identifier: Apache-2.0

/// The store's apps. Calls may come from any thread, and none blocks its caller.
package protocol AppStore: SessionStore {
    /// All registered apps, by identifier.
    nonisolated(nonsending) func apps() async throws(StoreError) -> [AppRegistration]

    /// The last entries of an app's story, oldest first; only entries after `entry`, if given.
    nonisolated(nonsending) func appEntries(
        of app: String,
        after entry: Int64?,
        limit: Int
    ) async throws(StoreError) -> [StoredAppEntry]

    /// Sessions with no outstanding tasks, and with ended tasks whose delegate has not been notified, unless the app
    /// has already been called for exactly these (`TransferChange.sessionAnnounced`) or none of them sends launch
    /// events.
    nonisolated(nonsending) func sessionsThatNeedTheirApp() async throws(StoreError) -> [SessionName]
}

/// An entry and its number, which increases across all apps.
package struct StoredAppEntry: Sendable, Equatable, Codable {
    package var number: Int64
    package var entry: AppEntry

    package init(number: Int64, entry: AppEntry) {
        self.number = number
        self.entry = entry
    }
}
