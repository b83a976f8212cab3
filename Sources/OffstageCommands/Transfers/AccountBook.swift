// SPDX-License-Identifier: Apache-2.0
import OffstageClient
package import OffstageCore
package import OffstageProtocol

/// The daemon's accounts by name, for an upload to one of them.
package struct AccountBook: Sendable {
    private let rows: [AccountRow]

    package init(_ rows: [AccountRow]) { self.rows = rows }

    /// Asks the daemon.
    package init(_ context: CommandContext) throws {
        self.init(try context.connect().send(ListAccounts()).rows)
    }

    /// An account that can be used.
    ///
    /// - Throws: `CommandFailure`, one sentence that says how to sign in.
    package func account(_ name: String) throws(CommandFailure) -> Account {
        guard let row = rows.first(where: { $0.account.name == name }) else {
            throw AccountName.absent(name, among: rows, advice: "'\(Account.signIn(to: name))' signs in to one.")
        }
        let reason = (row.reason ?? "").redactedControls
        switch row.standing {
        case .usable: return row.account
        case .needsSignIn:
            throw CommandFailure("\(reason) Sign in again with '\(Account.signIn(to: name, row.account.kind))'.")
        case .blocked: throw CommandFailure("The account '\(name)' cannot be used now. \(reason)")
        }
    }
}
