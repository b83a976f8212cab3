// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Writes the rows of accounts. Every call is part of a transaction that the caller began.
final class AccountTable {
    private let connection: SQLiteConnection
    private let encoder = JSONEncoder()

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func apply(_ change: AccountChange) throws(SQLiteError) {
        switch change {
        case .put(let stored): try put(stored)
        case .delete(let name): try delete(name)
        }
    }

    private func put(_ stored: StoredAccount) throws(SQLiteError) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO accounts (name, account, grant_sealed) VALUES (?1, ?2, ?3)"
        )
        row.bind(1, stored.account.name)
        row.bind(2, try encoded(stored.account))
        if let sealed = stored.sealedGrant { row.bind(3, sealed) } else { row.bindNull(3) }
        try row.run()
    }

    private func delete(_ name: String) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM accounts WHERE name = ?1")
        row.bind(1, name)
        try row.run()
    }

    private func encoded(_ account: Account) throws(SQLiteError) -> [UInt8] {
        do {
            return Array(try encoder.encode(account))
        } catch {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "the account \(account.name) cannot be encoded: \(error)")
        }
    }
}

/// Reads the rows of accounts.
enum AccountScan {
    static let columns = "name, account, grant_sealed"

    /// Nil for an invalid row.
    static func account(from row: SQLiteStatement, _ decoder: JSONDecoder) -> StoredAccount? {
        guard let account = try? decoder.decode(Account.self, from: row.data(1)), account.name == row.text(0) else {
            return nil
        }
        return StoredAccount(account, sealedGrant: row.isNull(2) ? nil : row.bytes(2))
    }
}
