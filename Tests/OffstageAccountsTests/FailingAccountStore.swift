// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageStore
import OffstageTestSupport

/// The store's accounts, on a disk that is full for as long as the test chooses.
struct FailingAccountStore: AccountStore {
    let store: SQLiteStore
    let isFull: Monitor<Bool>

    nonisolated(nonsending) func accounts() async throws(StoreError) -> [StoredAccount] { try await store.accounts() }

    nonisolated(nonsending) func commit(accounts: [AccountChange]) async throws(StoreError) {
        if isFull.withLock({ $0 }) { throw .full(path: "/s") }
        try await store.commit(accounts: accounts)
    }
}
