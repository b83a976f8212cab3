// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

extension SQLiteStore: AccountStore {
    package nonisolated(nonsending) func accounts() async throws(StoreError) -> [StoredAccount] {
        try await look { (reader) throws(SQLiteError) in try reader.accounts() }
    }

    package nonisolated(nonsending) func commit(accounts changes: [AccountChange]) async throws(StoreError) {
        if changes.isEmpty { return }
        try await withCheckedContinuation { continuation in
            let request = StoreWriter.Request.commitAccounts(changes, continuation)
            if !writes.send(request) { request.fail(closed) }
        }.get()
    }
}

extension StoreReader {
    func accounts() throws(SQLiteError) -> [StoredAccount] {
        let decoder = ForeignJSON.storeDecoder()
        let rows = try connection.statement("SELECT \(AccountScan.columns) FROM accounts ORDER BY name")
        defer { rows.reset() }
        var accounts: [StoredAccount] = []
        while try rows.step() {
            if let account = AccountScan.account(from: rows, decoder) { accounts.append(account) }
        }
        return accounts
    }
}
