// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage show ID…` prints everything about transfers that may be shown.
package struct ShowCommand: Command {
    package static let path = ["show"]
    package static let summary = "Show everything about transfers: reason, attempts, headers, answer."
    package static let synopsis = ["[OPTION…] ID…"]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage show 7", "everything about transfer 7, secrets left out"),
        CommandExample("offstage show 7-9 --json", "three transfers for a script"),
    ]

    let ids: [TransferID]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        ids = try IDArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a transfer's number; 'offstage list' shows them") }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let details = try context.connect().details(of: ids)
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(transfers: details.map(TransferDetailDocument.init))))
            return .success
        }
        for (index, detail) in details.enumerated() {
            if index > 0 { context.output.print("") }
            for line in DetailText.lines(detail, now: context.now()) { context.output.print(line) }
        }
        return .success
    }

    struct Document: Encodable {
        let transfers: [TransferDetailDocument]
    }
}
