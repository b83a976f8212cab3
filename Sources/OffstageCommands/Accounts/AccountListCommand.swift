// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage account list` prints all accounts.
package struct AccountListCommand: Command {
    package static let path = ["account", "list"]
    package static let summary = "List accounts and whether they are usable."
    package static let synopsis = ["[OPTION…]"]
    package static let options = [CommandOption("--quiet", "-q", help: "print only names, one per line")]
    package static let examples = [
        CommandExample("offstage account list", "all accounts"),
        CommandExample("offstage account list --json | jq '.accounts[].state'", "for a script"),
    ]

    let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isQuiet = arguments.takeFlag("--quiet")
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let rows = try context.connect().send(ListAccounts()).rows
        let output = context.output
        if context.printsJSON {
            output.print(try JSONText.of(Document(accounts: rows.map(AccountDocument.init))))
        } else if isQuiet {
            for row in rows { output.print(row.account.name.redactedControls) }
        } else if rows.isEmpty {
            output.print("There are no accounts; 'offstage account add --help' shows how to sign in to one.")
        } else {
            let table = AccountText.table(rows)
            for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
        }
        return .success
    }

    struct Document: Encodable {
        let accounts: [AccountDocument]
    }
}
