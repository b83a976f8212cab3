// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage account show NAME` prints everything about an account that may be shown.
package struct AccountShowCommand: Command {
    package static let path = ["account", "show"]
    package static let summary = "Show everything about an account except its tokens, which are never shown."
    package static let synopsis = ["NAME"]
    package static let operands = OperandKind.accounts
    package static let examples = [CommandExample("offstage account show dropbox", "who is signed in, and until when")]

    let account: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        account = try AccountName.parse(&arguments)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let rows = try context.connect().send(ListAccounts()).rows
        guard let row = rows.first(where: { $0.account.name == account }) else {
            throw AccountName.absent(account, among: rows)
        }
        if context.printsJSON {
            context.output.print(try JSONText.of(AccountDocument(row)))
        } else {
            for line in AccountText.lines(row, now: context.now()) { context.output.print(line) }
        }
        return .success
    }
}
