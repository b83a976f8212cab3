// SPDX-License-Identifier: Apache-2.0
import OffstageClient
package import OffstageCore
package import OffstageProtocol

/// The daemon's accounts by name, for a transfer that uses one of them.
package struct AccountBook: Sendable {
    private let rows: [AccountRow]

    package init(_ rows: [AccountRow]) { self.rows = rows }

    /// Gets the accounts from the daemon.
    package init(_ context: CommandContext) throws {
        self.init(try context.connect().send(ListAccounts()).rows)
    }

    /// A usable account.
    ///
    /// - Parameters:
    ///   - name: the account's name.
    ///   - kind: the required service.
    /// - Returns: the account.
    /// - Throws: `CommandFailure`, one sentence that explains how to sign in.
    package func account(_ name: String, _ kind: Account.Kind = .dropbox) throws(CommandFailure) -> Account {
        guard let row = rows.first(where: { $0.account.name == name }) else {
            let advice = "'\(Account.signIn(to: name, kind))' \(kind.adds) one."
            throw AccountName.absent(name, among: rows, advice: advice)
        }
        guard row.account.kind == kind else {
            throw CommandFailure(
                row.account.kind == .s3
                    ? "'\(name)' is an account at S3: name the place as s3://BUCKET/KEY, with --account \(name)."
                    : "'\(name)' is an account at Dropbox, not at S3: name the place as \(name):/PATH.",
                .usage
            )
        }
        let reason = (row.reason ?? "").redactedControls
        switch row.standing {
        case .usable: return row.account
        case .needsSignIn:
            let what = kind == .s3 ? "Give it another key" : "Sign in again"
            throw CommandFailure("\(reason) \(what) with '\(Account.signIn(to: name, kind))'.")
        case .blocked: throw CommandFailure("The account '\(name)' cannot be used now. \(reason)")
        }
    }

    package var hasS3Accounts: Bool { rows.contains { $0.account.kind == .s3 } }

    /// The only account at S3 that may sign for a server; nil if there is none, or more than one.
    ///
    /// - Parameter base: the server's URL; nil if none was given.
    /// - Returns: its name.
    package func onlyS3Account(at base: String?) -> String? {
        let fitting = rows.compactMap { row in
            row.account.s3.flatMap { base == nil || $0.base == base ? row.account.name : nil }
        }
        return fitting.count == 1 ? fitting.first : nil
    }
}
