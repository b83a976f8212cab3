// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage show ID…` prints everything that may be shown about transfers.
package struct ShowCommand: Command {
    package static let path = ["show"]
    package static let summary = "Show everything about transfers: reason, attempts, headers, answer."
    package static let synopsis = ["[OPTION…] ID…"]
    package static let discussion = """
        Shows only what is known to be harmless. Values of other header fields, a URL's query and anything like a token in
        its path are hidden; where the server's answer repeats them, '(hidden)' replaces them.
        """
    package static let options = [
        CommandOption("--reveal", help: "show header values, the whole URL and the answer unchanged"),
        CommandOption(
            "--receipt",
            help: "only what is known about the transferred file, and from whom (docs/receipts.md)"
        ),
    ]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage show 7", "everything about transfer 7, without secrets"),
        CommandExample("offstage show 7-9 --json", "three transfers for a script"),
        CommandExample("offstage show 7 --reveal", "with the secrets that were sent"),
        CommandExample("offstage show 7 --receipt", "digests, ETag, attempts and bytes of a completed transfer"),
    ]

    let ids: [TransferID]
    let reveals: Bool
    let showsReceipt: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        showsReceipt = arguments.takeFlag("--receipt")
        reveals = arguments.takeFlag("--reveal")
        ids = try IDArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a transfer's number; 'offstage list' shows them") }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let (details, missing) = try context.connect().detailsAsFarAsThere(of: ids, reveals: reveals)
        guard !details.isEmpty || missing.isEmpty else { throw CommandFailure(Refusals.absent(missing), .notFound) }
        if showsReceipt { return try showReceipts(of: details, missing, context) }
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(transfers: details.map(TransferDetailDocument.init))))
            return report(missing, context)
        }
        for (index, detail) in details.enumerated() {
            if index > 0 { context.output.print("") }
            for line in DetailText.lines(detail, now: context.now()) { context.output.print(line) }
        }
        return report(missing, context)
    }

    /// Shows receipts. The exit status is 1 if a transfer has none.
    private func showReceipts(
        of details: [TransferDetail],
        _ missing: [TransferID],
        _ context: CommandContext
    ) throws -> ExitStatus {
        if context.printsJSON {
            context.output.print(try JSONText.of(Receipts(receipts: details.compactMap(ReceiptDocument.init))))
        } else {
            for (index, detail) in details.enumerated() {
                if index > 0 { context.output.print("") }
                for line in ReceiptText.lines(detail) { context.output.print(line) }
            }
        }
        let status = report(missing, context)
        return details.contains { $0.receipt == nil } ? .failure : status
    }

    private func report(_ missing: [TransferID], _ context: CommandContext) -> ExitStatus {
        if missing.isEmpty { return .success }
        context.output.complain("offstage: \(Refusals.absent(missing))")
        return .notFound
    }

    struct Receipts: Encodable {
        let receipts: [ReceiptDocument]
    }

    struct Document: Encodable {
        let transfers: [TransferDetailDocument]
    }
}
