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
    /// Whether a person at a terminal is asked first, when it is about all.
    var asksFirst: Bool { get }
    init(selection: ActOnTransfers.Selection, asksFirst: Bool)
}

extension ActingCommand {
    package static var path: [String] { [verb.rawValue] }
    package static var synopsis: [String] { ["[OPTION…] ID…", "[OPTION…] --all"] }
    package static var options: [CommandOption] {
        [
            CommandOption("--all", "-a", help: "all transfers that it applies to"),
            CommandOption("--yes", "-y", help: "ask no question"),
        ]
    }
    package static var operands: OperandKind { .transfers }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let all = arguments.takeFlag("--all")
        let saysYes = arguments.takeFlag("--yes")
        let ids = try IDArguments.parse(arguments.takeOperands())
        guard all != !ids.isEmpty else {
            throw UsageError(
                all
                    ? "name transfers or give --all, not both"
                    : "name a transfer's number, or give --all; 'offstage list' shows them"
            )
        }
        self.init(selection: all ? .all : .ids(ids), asksFirst: all && !saysYes)
    }

    /// What a person who says "all" may not have in mind, as a question; nil where there is nothing to lose, or nothing to
    /// do it to.
    private func question(_ connection: DaemonConnection) throws -> String? {
        let counts: [String: Int]
        switch Self.verb {
        case .retry:
            let failed = TransferQuery(kinds: [.finished], results: [.failed], limit: WatchTransfers.rowLimit)
            let page = try connection.send(ListTransfers(query: failed))
            guard let oldest = page.rows.compactMap(\.finishedAt).min() else { return nil }
            let few = Format.count(page.rows.count, "transfer")
            let count = page.hasMore ? "more than \(few)" : few
            let since = page.hasMore ? "" : " since \(Format.fullTime(oldest))"
            return "Try \(count) again that failed\(since)?"
        case .cancel:
            counts = try connection.send(GetStatus()).counts.filter { $0.key != TransferState.Kind.finished.rawValue }
            let count = counts.values.reduce(0, +)
            if count == 0 { return nil }
            return count == 1
                ? "Cancel the transfer that has not ended?" : "Cancel \(count) transfers that have not ended?"
        case .pause, .resume, .forget: return nil
        }
    }

    /// Whether a person who is there says so.
    private func isConfirmed(_ connection: DaemonConnection, _ context: CommandContext) throws -> Bool {
        guard asksFirst, context.output.isTerminal, !context.printsJSON, context.keyboard() >= 0,
            let question = try question(connection)
        else { return true }
        context.output.write("\(question) [y/N] ")
        let answer = try context.readLine() ?? ""
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        guard try isConfirmed(connection, context) else {
            context.output.print("Nothing was done.")
            return .failure
        }
        let reply = try connection.act(Self.verb, on: selection)
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
