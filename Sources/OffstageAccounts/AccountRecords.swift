// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// The durable part of accounts, written in the order in which it was decided.
///
/// Belongs to `AccountCenter`; every call is on the loop.
struct AccountRecords: Sendable {
    private let store: any AccountStore
    private let ledger: Ledger<AccountChange>

    init(loop: EventLoop, store: any AccountStore, trouble: StoreTrouble) {
        self.store = store
        ledger = Ledger(loop: loop, trouble: trouble) { changes throws(StoreError) in
            try await store.commit(accounts: changes)
        }
    }

    /// All accounts.
    func accounts() async throws(StoreError) -> [StoredAccount] { try await store.accounts() }

    /// Makes an account durable as it is when it is written, however often the store fails until then.
    ///
    /// - Parameter account: nil if it is no longer the one to keep.
    /// - Returns: false if the daemon stops first.
    func put(_ account: @escaping () -> StoredAccount?) async -> Bool {
        ledger.recordLatest { account().map { .put($0) } }
        return await ledger.untilDurable()
    }

    /// Makes an account durable for a person who waits, and is told at once if the store does not work.
    func putNow(_ account: StoredAccount) async throws(StoreError) { try await ledger.writeNow([.put(account)]) }

    /// Deletes an account for a person who waits, and is told at once if the store does not work.
    func deleteNow(_ name: String) async throws(StoreError) { try await ledger.writeNow([.delete(name)]) }

    /// From now on, what cannot be written at the moment is given up.
    func prepareToStop() { ledger.prepareToStop() }
}
