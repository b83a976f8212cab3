// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage header set ID LINE…` gives a transfer new headers, and releases it if it waits for credentials.
package struct HeaderSetCommand: Command {
    package static let path = ["header", "set"]
    package static let summary = "Set headers of a transfer; releases one that waits for credentials."
    package static let synopsis = ["ID 'Name: value'…", "ID @FILE"]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage header set 7 'Authorization: Bearer …'", "new credentials for transfer 7"),
        CommandExample("offstage header set 7 @token.txt", "the same, hidden from other users' ps"),
    ]

    let id: TransferID
    let lines: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words.count >= 2 else { throw UsageError("give a transfer's number and a header 'Name: value'") }
        let ids = try IDArguments.parse([words[0]])
        guard ids.count == 1 else { throw UsageError("headers are set for one transfer at a time") }
        id = ids[0]
        lines = Array(words.dropFirst())
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let headers = try HeaderArguments.read(lines, context)
        guard !headers.isEmpty else {
            throw CommandFailure("That file contains no header: write one per line as 'Name: value'.", .usage)
        }
        _ = try context.connect().send(SetHeaders(id: id, headers: headers))
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(id: id.rawValue, headers: headers.map(\.name))))
        } else {
            context.output.print("Set \(headers.map(\.name).joined(separator: ", ")) of transfer \(id).")
        }
        return .success
    }

    struct Document: Encodable {
        let id: Int64
        let headers: [String]
    }
}
