// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage why [ID…]` says why transfers are not across, since when, and what a person can do.
package struct WhyCommand: Command {
    package static let path = ["why"]
    package static let summary = "Say why transfers are not across, and what to do about it."
    package static let synopsis = ["[OPTION…] [ID…]"]
    package static let discussion = "Without a number: everything that has not ended, and the last that failed."
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage why", "whatever is not across"),
        CommandExample("offstage why 7", "one transfer"),
    ]

    /// At most so many unfinished and so many failed ones are told of without a number.
    private static let mostUnfinished = 50
    private static let mostFailed = 5

    let ids: [TransferID]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        ids = try IDArguments.parse(arguments.takeOperands())
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        var rows: [TransferRow]
        var more = 0
        if ids.isEmpty {
            let kinds = TransferState.Kind.allCases.filter { $0 != .finished }
            let open = try connection.send(
                ListTransfers(query: TransferQuery(kinds: kinds, limit: Self.mostUnfinished))
            )
            let failed = try connection.send(
                ListTransfers(query: TransferQuery(results: [.failed], limit: Self.mostFailed))
            )
            more = kinds.reduce(0) { $0 + (open.counts[$1.rawValue] ?? 0) } - open.rows.count
            rows = open.rows + failed.rows
        } else {
            rows = try connection.details(of: ids).map(\.row)
        }
        if context.printsJSON {
            context.output.print(
                try JSONText.of(Document(transfers: rows.map(TransferDocument.init), more: max(0, more)))
            )
            return .success
        }
        if rows.isEmpty { context.output.print("Every transfer is done: there is nothing to wait for.") }
        for row in rows {
            for line in Self.lines(row, now: context.now(), usesColour: context.output.usesColour) {
                context.output.print(line)
            }
        }
        if more > 0 { context.output.print("… and \(more) more that have not ended; 'offstage list' shows them.") }
        return .success
    }

    struct Document: Encodable {
        let transfers: [TransferDocument]
        let more: Int
    }

    /// What, why, since when, next when, and what to do.
    static func lines(_ row: TransferRow, now: Date, usesColour: Bool) -> [String] {
        let reason = row.reason
        var when =
            "since \(Format.time(reason.since, now: now)) (\(Format.duration(now.timeIntervalSince(reason.since))))"
        if let next = reason.nextLook {
            let left = next.timeIntervalSince(now)
            when +=
                left > 0
                ? ", looked at next at \(Format.time(next, now: now)) (in \(Format.duration(left)))"
                : ", looked at next now"
        } else if row.kind != .finished {
            when += ", looked at when something changes"
        }
        return [
            "\(Style.strong("\(row.id)", usesColour))  \(FollowLines.way(row))",
            "    \(TransferTable.state(row).style?(reason.summary.redactedControls, usesColour) ?? reason.summary), \(when)",
            "    \(reason.advice(for: row.id))",
        ]
    }
}
