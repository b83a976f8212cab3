// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension SQLiteStore: AppStore {
    package nonisolated(nonsending) func apps() async throws(StoreError) -> [AppRegistration] {
        try await look { (reader) throws(SQLiteError) in try reader.apps() }
    }

    package nonisolated(nonsending) func appEntries(
        of app: String,
        after entry: Int64?,
        limit: Int
    ) async throws(StoreError) -> [StoredAppEntry] {
        try await look { (reader) throws(SQLiteError) in try reader.appEntries(of: app, after: entry, limit: limit) }
    }

    package nonisolated(nonsending) func sessionsThatNeedTheirApp() async throws(StoreError) -> [SessionName] {
        try await look { (reader) throws(SQLiteError) in try reader.sessionsThatNeedTheirApp() }
    }
}
