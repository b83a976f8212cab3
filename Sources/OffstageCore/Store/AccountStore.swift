// SPDX-License-Identifier: Apache-2.0

/// The store's accounts. Calls may come from any thread, and none blocks its caller.
package protocol AccountStore: Sendable {
    /// All accounts, by name. A damaged row is left out.
    nonisolated(nonsending) func accounts() async throws(StoreError) -> [StoredAccount]

    /// Makes the changes durable, all of them or none, and returns once they are.
    nonisolated(nonsending) func commit(accounts: [AccountChange]) async throws(StoreError)
}

/// An account and its tokens, encrypted with a key kept outside the store.
package struct StoredAccount: Sendable, Hashable {
    package var account: Account
    /// The encrypted tokens; nil if there are none, and a person must sign in again.
    package var sealedGrant: [UInt8]?

    package init(_ account: Account, sealedGrant: [UInt8]?) {
        self.account = account
        self.sealedGrant = sealedGrant
    }
}

/// One change of the store's accounts.
package enum AccountChange: Sendable, Hashable {
    /// Replaces the account of the same name.
    case put(StoredAccount)
    /// No effect if there is no account of that name.
    case delete(String)
}
