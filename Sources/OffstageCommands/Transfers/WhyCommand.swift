// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage why [ID…|TASK…]` explains why transfers are not done and deferred tasks do not run, since when, and what
/// the user can do.
package struct WhyCommand: Command {
    package static let path = ["why"]
    package static let summary = "Say why transfers are not done and tasks do not run, and what to do about it."
    package static let synopsis = ["[OPTION…]", "[OPTION…] ID…", "[OPTION…] TASK…"]
    package static let discussion = """
        Without a name: every transfer that has not ended, the last failed ones, and every waiting task. A number is a
        transfer's. A deferred task is named by its identifier, APP/IDENTIFIER, or task:NUMBER.
        """
    package static let operands = OperandKind.transfersAndTasks
    package static let examples = [
        CommandExample("offstage why", "all unfinished transfers and waiting tasks"),
        CommandExample("offstage why 7", "one transfer"),
        CommandExample("offstage why com.example.dropoff.sync", "one deferred task"),
    ]

    /// The most unfinished and the most failed transfers that are shown without a number.
    private static let mostUnfinished = 50
    private static let mostFailed = 5

    let ids: [TransferID]
    let tasks: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        ids = try IDArguments.parse(words.filter(TaskName.isTransfers))
        tasks = words.filter { !TaskName.isTransfers($0) }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let isOpen = ids.isEmpty && tasks.isEmpty
        var (rows, more): ([TransferRow], Int) = ([], 0)
        var missing: [TransferID] = []
        if isOpen {
            (rows, more) = try Self.open(connection)
        } else if !ids.isEmpty {
            let found = try connection.detailsAsFarAsThere(of: ids)
            (rows, missing) = (found.details.map(\.row), found.missing)
            guard !rows.isEmpty || missing.isEmpty else { throw CommandFailure(Refusals.absent(missing), .notFound) }
        }
        let answers = try isOpen ? [TaskWhy(waiting: connection)] : tasks.map { try Self.task($0, connection) }
        if context.printsJSON {
            let document = Document(
                transfers: rows.map(TransferDocument.init),
                more: max(0, more),
                tasks: answers.flatMap(\.documents),
                moreTasks: answers.reduce(0) { $0 + $1.more },
                history: answers.flatMap(\.history).map(TaskEntryDocument.init),
                conditions: answers.last.map { ConditionsDocument($0.machine) }
            )
            context.output.print(try JSONText.of(document))
            return report(missing, context)
        }
        if isOpen, rows.isEmpty, answers.allSatisfy(\.rows.isEmpty) {
            context.output.print("Every transfer is done and no task is waiting.")
        }
        for row in rows {
            for line in Self.lines(row, now: context.now(), context.output) { context.output.print(line) }
        }
        if more > 0 { context.output.print("… and \(more) more that have not ended; 'offstage list' shows them.") }
        for answer in answers { for line in answer.lines(context) { context.output.print(line) } }
        return report(missing, context)
    }

    private func report(_ missing: [TransferID], _ context: CommandContext) -> ExitStatus {
        if missing.isEmpty { return .success }
        context.output.complain("offstage: \(Refusals.absent(missing))")
        return .notFound
    }

    /// - Throws: `CommandFailure` if the name is neither a task's nor a transfer's; `OffstageError`.
    private static func task(_ name: String, _ connection: DaemonConnection) throws -> TaskWhy {
        do throws(OffstageError) {
            return try TaskWhy(name, connection)
        } catch {
            guard error.code == .transferNotFound else { throw error }
            throw CommandFailure(
                "'\(name)' is neither a submitted task nor a transfer's number: 'offstage tasks' and 'offstage list' show what exists.",
                .notFound
            )
        }
    }

    /// The unfinished transfers, and the number of those that are not shown.
    private static func open(_ connection: DaemonConnection) throws -> ([TransferRow], Int) {
        let kinds = TransferState.Kind.allCases.filter { $0 != .finished }
        let open = try connection.send(ListTransfers(query: TransferQuery(kinds: kinds, limit: mostUnfinished)))
        let failed = try connection.send(ListTransfers(query: TransferQuery(results: [.failed], limit: mostFailed)))
        let more = kinds.reduce(0) { $0 + (open.counts[$1.rawValue] ?? 0) } - open.rows.count
        return (open.rows + failed.rows, more)
    }

    struct Document: Encodable {
        let transfers: [TransferDocument]
        let more: Int
        let tasks: [TaskDocument]
        let moreTasks: Int
        /// The outcomes of earlier requests of the named tasks.
        let history: [TaskEntryDocument]
        let conditions: ConditionsDocument?
    }

    /// The lines about a transfer: what, why, since when, when next, and what to do.
    private static func lines(_ row: TransferRow, now: Date, _ output: Output) -> [String] {
        let usesColour = output.usesColour
        let reason = row.reason
        var when =
            "since \(Format.time(reason.since, now: now)) (\(Format.duration(now.timeIntervalSince(reason.since))))"
        if let next = reason.nextLook {
            let left = next.timeIntervalSince(now)
            when +=
                left > 0
                ? ", next check at \(Format.time(next, now: now)) (in \(Format.duration(left)))"
                : ", next check now"
        } else if row.kind != .finished {
            when += ", checked when something changes"
        }
        let summary = RowReason.summary(row)
        var lines = ["\(row.id)  \(TransferTable.way(row).redactedControls)", "    \(summary), \(when)"]
        if let standing = row.standing { lines.append("    Where it stands: \(standing.redactedControls).") }
        if !row.advice.isEmpty { lines.append("    \(row.advice)") }
        // Coloured after wrapping, as escape sequences have no width.
        let marks: [(String, Style?)] = [("\(row.id)", .strong), (summary, TransferTable.state(row).style)]
        return lines.enumerated().flatMap { index, line in
            let mark: (String, Style?) = index < marks.count ? marks[index] : ("", nil)
            return Self.marked(DisplayWidth.wrapped(line, to: output.columns), mark.0, mark.1, usesColour)
        }
    }

    /// Lines that begin with a styled text.
    private static func marked(_ lines: [String], _ text: String, _ style: Style?, _ usesColour: Bool) -> [String] {
        guard let style, usesColour else { return lines }
        var left = DisplayWidth.of(text)
        return lines.map { line in
            let indent = line.prefix { $0 == " " }
            let body = line.dropFirst(indent.count)
            let marked = body.prefix(max(0, left))
            // checked: the line was broken at a space
            left -= marked.count + 1
            return marked.isEmpty ? line : indent + style(String(marked), usesColour) + body.dropFirst(marked.count)
        }
    }
}
