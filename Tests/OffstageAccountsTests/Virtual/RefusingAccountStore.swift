// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageStore
import OffstageTestSupport

/// The store's accounts, on a disk that refuses the next commits after a delay chosen by the test.
struct RefusingAccountStore: AccountStore {
    let store: SQLiteStore
    let loop: EventLoop
    /// After how many seconds each of the next commits is refused.
    let refusals: Monitor<[Double]>

    nonisolated(nonsending) func accounts() async throws(StoreError) -> [StoredAccount] { try await store.accounts() }

    nonisolated(nonsending) func commit(accounts: [AccountChange]) async throws(StoreError) {
        let refusal: Double? = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let seconds = refusal else { return try await store.commit(accounts: accounts) }
        await loop.sleep(seconds: seconds)  // in virtual time
        throw .full(path: "/s")
    }
}
