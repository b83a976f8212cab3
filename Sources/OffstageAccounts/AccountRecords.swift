// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// The durable part of accounts, written in the order of the decisions.
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

    /// Makes an account durable in its state at the time of writing, however often the store fails until then.
    ///
    /// - Parameter account: the account; nil if it should no longer be kept.
    /// - Returns: false if the daemon stops first.
    func put(_ account: @escaping () -> StoredAccount?) async -> Bool {
        ledger.recordLatest { account().map { .put($0) } }
        return await ledger.untilDurable()
    }

    /// Makes an account durable for a waiting person, who is notified immediately if the store does not work.
    func putNow(_ account: StoredAccount) async throws(StoreError) { try await ledger.writeNow([.put(account)]) }

    /// Deletes an account for a waiting person, who is notified immediately if the store does not work.
    func deleteNow(_ name: String) async throws(StoreError) { try await ledger.writeNow([.delete(name)]) }

    /// From now on, changes that currently cannot be written are abandoned.
    func prepareToStop() { ledger.prepareToStop() }
}
