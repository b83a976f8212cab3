// SPDX-License-Identifier: Apache-2.0

/// What the store knows of accounts. Calls may come from any thread and none blocks its caller.
package protocol AccountStore: Sendable {
    /// All accounts, by name. A damaged row is left out.
    nonisolated(nonsending) func accounts() async throws(StoreError) -> [StoredAccount]

    /// Makes the changes durable, all or none, and returns once they are.
    nonisolated(nonsending) func commit(accounts: [AccountChange]) async throws(StoreError)
}

/// An account and its tokens, which only the key opens that lies apart from the store.
package struct StoredAccount: Sendable, Hashable {
    package var account: Account
    /// Encrypted; nil when there are none, since a person has to sign in again.
    package var sealedGrant: [UInt8]?

    package init(_ account: Account, sealedGrant: [UInt8]?) {
        self.account = account
        self.sealedGrant = sealedGrant
    }
}

/// One change of what the store knows of accounts.
package enum AccountChange: Sendable, Hashable {
    /// In the place of one of the same name.
    case put(StoredAccount)
    /// Nothing for a name that is not there.
    case delete(String)
}
