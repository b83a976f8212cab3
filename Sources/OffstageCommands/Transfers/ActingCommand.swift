// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// A command that performs one action on transfers: `pause`, `resume`, `cancel`, `retry`, `forget`.
package protocol ActingCommand: Command {
    static var verb: ActOnTransfers.Verb { get }
    /// The word for the affected transfers: `Paused`.
    static var pastTense: String { get }
    var selection: ActOnTransfers.Selection { get }
    /// What the user must confirm first; nil if no confirmation is needed.
    var doubt: ActingDoubt? { get }
    init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?)
}

/// Why the user is asked before an action on many transfers.
package enum ActingDoubt: Sendable, Equatable {
    /// `--all`.
    case all
    /// A long range on the command line, as written: `1-100000`.
    case range(String)

    /// A range of more transfers than this may well be a mistake.
    package static let longestUndoubted: Int64 = 20
}

extension ActingCommand {
    package static var path: [String] { [verb.rawValue] }
    package static var synopsis: [String] { ["[OPTION…] ID…", "[OPTION…] --all"] }
    package static var options: [CommandOption] {
        [
            CommandOption("--all", "-a", help: "all transfers that it applies to"),
            CommandOption(
                "--yes",
                "-y",
                help: isHarmless
                    ? "ask no questions (there are none)"
                    : "do not ask about --all or a range of more than \(ActingDoubt.longestUndoubted)"
            ),
        ]
    }
    package static var operands: OperandKind { .transfers }

    /// Whether the action can be undone.
    private static var isHarmless: Bool {
        switch verb {
        case .pause, .resume: true
        case .cancel, .retry, .forget, .release: false
        }
    }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let all = arguments.takeFlag("--all")
        let saysYes = arguments.takeFlag("--yes")
        let words = arguments.takeOperands()
        let ids = try IDArguments.parse(words)
        guard all != !ids.isEmpty else {
            throw UsageError(
                all
                    ? "name transfers or give --all, not both"
                    : "name a transfer's number, or give --all; 'offstage list' shows them"
            )
        }
        let range = IDArguments.range(ofMoreThan: ActingDoubt.longestUndoubted, in: words)
        let doubt: ActingDoubt? = all ? .all : range.map { .range($0) }
        self.init(selection: all ? .all : .ids(ids), doubt: saysYes || Self.isHarmless ? nil : doubt)
    }

    /// The confirmation question, with what a user who says "all" may not expect; nil if there is nothing to act on.
    private func question(_ doubt: ActingDoubt, _ connection: DaemonConnection) throws -> String? {
        guard case .all = doubt else { return rangeQuestion(doubt) }
        switch Self.verb {
        case .retry:
            let failed = TransferQuery(kinds: [.finished], results: [.failed], limit: WatchTransfers.rowLimit)
            let page = try connection.send(ListTransfers(query: failed))
            guard let oldest = page.rows.compactMap(\.finishedAt).min() else { return nil }
            let few = Format.count(page.rows.count, "transfer")
            let count = page.hasMore ? "more than \(few)" : few
            let since = page.hasMore ? "" : " since \(Format.fullTime(oldest))"
            return "Retry \(count) that failed\(since)?"
        case .cancel:
            let finished = TransferState.Kind.finished.rawValue
            let count = try connection.send(GetStatus()).counts.filter { $0.key != finished }.values.reduce(0) {
                $0.addingReportingOverflow($1).partialValue
            }
            if count == 0 { return nil }
            return count == 1
                ? "Cancel the transfer that has not ended?" : "Cancel \(count) transfers that have not ended?"
        case .forget:
            let count = try connection.send(GetStatus()).counts[TransferState.Kind.finished.rawValue] ?? 0
            if count == 0 { return nil }
            return "Remove \(Format.count(count, "ended transfer")) from the list, with their histories?"
        case .pause, .resume, .release: return nil
        }
    }

    private func rangeQuestion(_ doubt: ActingDoubt) -> String? {
        guard case .range(let range) = doubt else { return nil }
        switch Self.verb {
        case .retry: return "Retry all of the transfers \(range) that wait or have failed?"
        case .cancel: return "Cancel all of the transfers \(range) that have not ended?"
        case .forget: return "Remove all of the ended transfers \(range) from the list, with their histories?"
        case .pause, .resume, .release: return nil
        }
    }

    /// - Throws: `UsageError` if there is a question but no terminal.
    private func checkSomebodyIsThere(_ context: CommandContext) throws(UsageError) {
        guard let doubt, !context.output.isTerminal || context.printsJSON || context.keyboard() < 0 else { return }
        let what =
            switch doubt {
            case .all: "--all needs"
            case .range(let range): "\(range) names more than \(ActingDoubt.longestUndoubted) transfers, which needs"
            }
        throw UsageError("\(what) confirmation, and nobody can be asked here: add --yes. Nothing was done")
    }

    /// Whether the user confirms the action.
    private func isConfirmed(_ connection: DaemonConnection, _ context: CommandContext) throws -> Bool {
        guard let doubt, let question = try question(doubt, connection) else { return true }
        context.output.write("\(question) [y/N] ")
        let answer = try context.readLine() ?? ""
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        try checkSomebodyIsThere(context)
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
            context.output.print("There is no transfer to which this applies.")
        }
        for sentence in Refusals.sentences(reply.refused) {
            context.output.complain("offstage: \(sentence.redactedControls)")
        }
        if reply.refused.contains(where: { $0.failure.code != .notFound }) { return .failure }
        return reply.refused.isEmpty ? .success : .notFound
    }
}

/// The result of an action, in `--json` output (docs/json.md).
struct ActionDocument: Encodable {
    struct Refusal: Encodable {
        let id: Int64
        let code: String
        let message: String
    }

    let done: [Int64]
    let refused: [Refusal]
}
