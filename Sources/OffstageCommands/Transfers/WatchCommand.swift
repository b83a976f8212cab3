// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// `offstage watch` shows a live table of everything that has not ended.
package struct WatchCommand: Command {
    package static let path = ["watch"]
    package static let summary = "Show a live table of what has not ended."
    package static let synopsis = [""]
    package static let discussion =
        "Needs a terminal; 'offstage events' is for scripts. Ctrl-C ends the table, not the transfers."
    package static let examples = [CommandExample("offstage watch", "look on until Ctrl-C")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        guard context.output.isTerminal, !context.printsJSON else {
            throw UsageError("the table needs a terminal; use 'offstage list' or 'offstage events --json'")
        }
        let screen = LiveArea(context.output)
        var table = WatchedTable()
        var drawnAt = Date.distantPast
        var isStale = true
        let status = try EventStream(nil, context).run(timeout: { isStale ? 250 : -1 }) { item in
            switch item {
            case .rows(let rows): table.replace(rows)
            case .event(let event): table.take(event)
            case .interrupted: table.notice = "The daemon went away; reaching it again."
            case .pause:
                guard isStale, abs(context.now().timeIntervalSince(drawnAt)) >= 0.24 else { return true }
                drawnAt = context.now()
                let height = max(4, Int(offstage_terminal_rows(1)) - 1)
                screen.show(
                    table.lines(
                        width: context.output.columns,
                        height: height,
                        usesColour: context.output.usesColour,
                        now: context.now()
                    )
                )
                isStale = false
                return true
            }
            isStale = true
            return true
        }
        return status
    }
}
