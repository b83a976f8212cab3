// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// Asks the user whether the account that a code gives access to is theirs.
enum AccountQuestion {
    /// - Returns: whether it is; anything but a yes counts as a no.
    /// - Throws: any error of reading the answer.
    static func ask(about row: AccountRow, _ context: CommandContext) throws -> Bool {
        let who = (row.account.email ?? row.account.accountID)?.redactedControls
        let sentence = who.map { "Dropbox says that this is the account of \($0)." }
        context.output.complain(sentence ?? "Dropbox does not say whose account this is.")
        context.output.complain("Is this your account? [y/N]")
        let answer = try context.readLine() ?? ""
        return ["y", "yes"].contains(String(answer.filter { !$0.isWhitespace }).lowercased())
    }
}
