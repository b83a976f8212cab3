// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// Asks a person whether the account that a code has led to is theirs.
enum AccountQuestion {
    /// - Returns: whether it is; what is no yes is a no.
    /// - Throws: what reading the answer throws.
    static func ask(about row: AccountRow, _ context: CommandContext) throws -> Bool {
        let who = (row.account.email ?? row.account.accountID).map { "the account of \($0.redactedControls)" }
        context.output.complain("Dropbox says that this is \(who ?? "an account, but not whose").")
        context.output.complain("Is this your account? [y/N]")
        let answer = try context.readLine() ?? ""
        return ["y", "yes"].contains(String(answer.filter { !$0.isWhitespace }).lowercased())
    }
}
