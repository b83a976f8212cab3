// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// `offstage events` prints a line for each event, until it is stopped.
package struct EventsCommand: Command {
    package static let path = ["events"]
    package static let summary = "Print what happens to transfers as it happens, for scripts."
    package static let synopsis = ["[OPTION…] [ID…]"]
    package static let discussion = """
        With --json, one object per line (docs/json.md). Begins with the current transfers, continues until it is stopped,
        and starts over when the daemon has been replaced.
        """
    package static let options = [CommandOption("--no-progress", help: "leave out the progress of transfers")]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample(
            "offstage events --json | jq -r 'select(.event == \"finished\") | .transfer.path'",
            "act on what has arrived"
        )
    ]

    let ids: [TransferID]
    let wantsProgress: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        wantsProgress = !arguments.takeFlag("--no-progress")
        ids = try IDArguments.parse(arguments.takeOperands())
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        var known: [TransferID: TransferRow] = [:]
        return try EventStream(ids.isEmpty ? nil : ids, context, mostRows: .max).run { item in
            switch item {
            case .rows(let rows), .moreRows(let rows, _):
                for row in rows {
                    known[row.id] = row
                    try print(
                        .init(event: "current", transfer: row),
                        FollowLines.changed(row, now: context.now()),
                        context
                    )
                }
            case .event(let event): try print(event, &known, context)
            case .interrupted: try print(.init(event: "interrupted"), "The daemon went away.", context)
            case .tasks, .task, .keys, .resized, .pause: break
            }
            // Lost output would otherwise go unnoticed until the end.
            return context.output.problem == nil
        }
    }

    private func print(_ event: TransferEvent, _ known: inout [TransferID: TransferRow], _ context: CommandContext)
        throws
    {
        switch event {
        case .changed(let row):
            known[row.id] = row
            try print(.init(event: "changed", transfer: row), FollowLines.changed(row, now: context.now()), context)
        case .finished(let row):
            known[row.id] = nil
            let line = row.result == .completed ? FollowLines.done(row) : FollowLines.failed(row, bodyStart: [])[0]
            try print(.init(event: "finished", transfer: row), line, context)
        case .removed(let id):
            known[id] = nil
            try print(.init(event: "removed", id: id.rawValue), "\(id): forgotten", context)
        case .progress(let all):
            guard wantsProgress else { return }
            for progress in all {
                guard var row = known[progress.id] else { continue }
                row.bytesDone = progress.bytesDone
                row.bytesTotal = progress.bytesTotal ?? row.bytesTotal
                row.rate = progress.rate
                row.standing = progress.standing
                try print(.init(progress), FollowLines.progressed(row), context)
            }
        }
    }

    private func print(_ document: EventDocument, _ line: String, _ context: CommandContext) throws {
        context.output.print(context.printsJSON ? try JSONText.of(document) : line)
    }
}
