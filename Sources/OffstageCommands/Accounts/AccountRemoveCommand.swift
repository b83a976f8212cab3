// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage account remove NAME` forgets an account and has its access revoked.
package struct AccountRemoveCommand: Command {
    package static let path = ["account", "remove"]
    package static let summary = "Forget an account and have the service revoke its access."
    package static let synopsis = ["NAME"]
    package static let discussion = """
        Transfers to it that have not ended fail, or wait if they were handed over with --wait-for-credentials; once the
        same person has signed in under the same name again, 'offstage retry' continues them. A key for S3 stays valid at
        its server. If a service cannot be reached, the account is forgotten anyway, and a message says what is left to do
        there.
        """
    package static let operands = OperandKind.accounts
    package static let examples = [CommandExample("offstage account remove work", "nothing about it is kept")]

    let account: String

    /// In seconds. A token may have to be renewed before it can be revoked, and each request may take half a minute.
    private static let patience = 90.0

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        account = try AccountName.parse(&arguments)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let reply = try context.connect().send(RemoveAccount(account: account), within: Self.patience)
        if context.printsJSON {
            let document = Document(account: account, isRevoked: reply.notRevoked == nil)
            context.output.print(try JSONText.of(document))
        } else {
            context.output.print("Removed \(account.redactedControls).")
        }
        if let sentence = reply.notRevoked { context.output.complain("offstage: \(sentence.redactedControls)") }
        return .success
    }

    struct Document: Encodable {
        let account: String
        let isRevoked: Bool
    }
}
