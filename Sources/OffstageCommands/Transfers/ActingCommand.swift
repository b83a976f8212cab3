// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// A command that does one thing to transfers: `pause`, `resume`, `cancel`, `retry`, `forget`.
package protocol ActingCommand: Command {
    static var verb: ActOnTransfers.Verb { get }
    /// What is said of those it was done to: `Paused`.
    static var pastTense: String { get }
    var selection: ActOnTransfers.Selection { get }
    init(selection: ActOnTransfers.Selection)
}

extension ActingCommand {
    package static var path: [String] { [verb.rawValue] }
    package static var synopsis: [String] { ["[OPTION…] ID…", "[OPTION…] --all"] }
    package static var options: [CommandOption] {
        [
            CommandOption("--all", "-a", help: "all transfers that it applies to")
        ]
    }
    package static var operands: OperandKind { .transfers }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let all = arguments.takeFlag("--all")
        let ids = try IDArguments.parse(arguments.takeOperands())
        guard all != !ids.isEmpty else {
            throw UsageError(
                all
                    ? "name transfers or give --all, not both"
                    : "name a transfer's number, or give --all; 'offstage list' shows them"
            )
        }
        self.init(selection: all ? .all : .ids(ids))
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let reply = try context.connect().act(Self.verb, on: selection)
        if context.printsJSON {
            let refused = reply.refused.map {
                ActionDocument.Refusal(id: $0.id.rawValue, code: $0.failure.code.rawValue, message: $0.failure.message)
            }
            context.output.print(try JSONText.of(ActionDocument(done: reply.done.map(\.rawValue), refused: refused)))
        } else if !reply.done.isEmpty {
            context.output.print("\(Self.pastTense) \(Submission.spans(reply.done)).")
        } else if reply.refused.isEmpty {
            context.output.print("There is no transfer that it applies to.")
        }
        for refusal in reply.refused {
            context.output.complain("offstage: \(refusal.failure.message.redactedControls)")
        }
        if reply.refused.contains(where: { $0.failure.code != .notFound }) { return .failure }
        return reply.refused.isEmpty ? .success : .notFound
    }
}

/// What an action did, in `--json` output (docs/json.md).
struct ActionDocument: Encodable {
    struct Refusal: Encodable {
        let id: Int64
        let code: String
        let message: String
    }

    let done: [Int64]
    let refused: [Refusal]
}
