// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage watch` shows a live table of everything that has not ended, and of the tasks that run.
package struct WatchCommand: Command {
    package static let path = ["watch"]
    package static let summary = "Show a live table of transfers that have not ended, and of tasks that run."
    package static let synopsis = [""]
    package static let discussion = """
        Needs a terminal; 'offstage events' is for scripts. The key q and Ctrl-C end the table, not the transfers. The key
        c, a task's number and Enter cancel a task that runs; where only one does, Enter alone will do.
        """
    package static let examples = [CommandExample("offstage watch", "look on until q or Ctrl-C")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        guard context.output.isTerminal, !context.printsJSON else {
            throw UsageError("the table needs a terminal; use 'offstage list' or 'offstage events --json'")
        }
        let screen = LiveArea(context.output)
        var table = WatchedTable()
        var tasks = WatchedTasks(usesBlocks: LiveArea.usesBlocks(context.environment))
        let keyboard = Keyboard(context.keyboard())
        tasks.hasKeyboard = keyboard != nil
        var drawnAt = Date.distantPast
        var countedAt = Date.distantPast
        var isStale = true
        let stream = EventStream(nil, context, watchesTasks: true, keyboard: keyboard)
        return try stream.run(timeout: { isStale ? 250 : -1 }) { item in
            switch item {
            case .rows(let rows): table.replace(rows)
            case .moreRows: break
            case .event(let event): table.take(event)
            case .tasks(let rows): tasks.replace(rows)
            case .task(let event): tasks.take(event)
            case .keys(let keys, let connection):
                for key in keys {
                    if key == UInt8(ascii: "q"), !tasks.isTyping {
                        screen.clear()
                        return false
                    }
                    guard let number = tasks.take(key: key) else { continue }
                    tasks.notice = Self.cancel(number, connection)
                }
                // Who types looks at what comes of it at once.
                drawnAt = .distantPast
            case .interrupted: table.notice = "The daemon went away; reaching it again."
            case .pause(let connection):
                guard isStale, abs(context.now().timeIntervalSince(drawnAt)) >= 0.24 else { return true }
                drawnAt = context.now()
                if table.isCut, abs(drawnAt.timeIntervalSince(countedAt)) >= 1 {
                    countedAt = drawnAt
                    table.counts = try connection.send(GetStatus()).counts
                }
                screen.show(Self.lines(table, tasks, context))
                isStale = false
                return true
            }
            isStale = true
            return true
        }
    }

    /// What is shown after a try to cancel a task.
    private static func cancel(_ number: UInt64, _ connection: DaemonConnection) -> String {
        do throws(OffstageError) {
            let record = try connection.send(CancelTask(task: "task:\(number)")).record
            return "Told \(record.request.identifier.redactedControls) to end."
        } catch {
            return error.description.redactedControls
        }
    }

    private static func lines(_ table: WatchedTable, _ tasks: WatchedTasks, _ context: CommandContext) -> [String] {
        let height = max(4, Int(offstage_terminal_rows(1)) - 1)
        let width = context.output.columns
        let usesColour = context.output.usesColour
        let below = tasks.lines(width: width, height: height / 2, usesColour: usesColour)
        return table.lines(
            width: width,
            height: height - below.count,
            usesColour: usesColour,
            now: context.now()
        ) + below
    }
}
