// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage watch` shows a live table of transfers that have not ended, and of running tasks.
package struct WatchCommand: Command {
    package static let path = ["watch"]
    package static let summary = "Show a live table of transfers that have not ended, and of running tasks."
    package static let synopsis = [""]
    package static let discussion = """
        Needs a terminal; 'offstage events' is for scripts. The key q and Ctrl-C end the table, not the transfers. If not
        all rows fit, the arrow keys, j and k, PageUp and PageDown, Home and End scroll. The time left is an estimate at
        the current rate, for the running transfers and, if their sizes are known, for all queued ones, too. The key c, a
        task's number and Enter cancel a running task; if only one is running, Enter alone is enough.
        """
    package static let examples = [CommandExample("offstage watch", "watch until q or Ctrl-C")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        guard context.output.isDrawable, !context.printsJSON else {
            let what = context.output.isTerminal != context.output.isDrawable ? "more than TERM=dumb" : "a terminal"
            throw UsageError("the table needs \(what); use 'offstage list' or 'offstage events --json'")
        }
        let screen = LiveArea(context.output)
        var table = WatchedTable()
        var tasks = WatchedTasks(usesBlocks: LiveArea.usesBlocks(context.environment))
        let keyboard = Keyboard(context.keyboard())
        (tasks.hasKeyboard, table.hasKeyboard) = (keyboard != nil, keyboard != nil)
        var reader = KeyReader()
        var drawnAt = Date.distantPast
        var countedAt = Date.distantPast
        var isStale = true
        let stream = EventStream(
            nil,
            context,
            mostRows: WatchedTable.mostRows,
            watchesTasks: true,
            keyboard: keyboard,
            followsSize: true
        )
        return try stream.run(timeout: { isStale ? 250 : -1 }) { item in
            switch item {
            case .rows(let rows): table.replace(rows)
            case .moreRows(let rows, let areAll): table.add(rows, areAll: areAll)
            case .event(let event): table.apply(event)
            case .tasks(let rows): tasks.replace(rows)
            case .task(let event): tasks.apply(event)
            case .keys(let bytes, let connection):
                for key in reader.parse(bytes) {
                    if key == .character(UInt8(ascii: "q")), !tasks.isTyping {
                        screen.clear()
                        return false
                    }
                    if !tasks.isTyping, table.scroll.move(key) { continue }
                    guard let number = tasks.press(key) else { continue }
                    tasks.notice = Self.cancel(number, connection)
                }
                // The effect of a key is shown immediately.
                drawnAt = .distantPast
            case .resized:
                screen.restart()
                drawnAt = .distantPast
            case .interrupted: table.notice = "The daemon went away; reconnecting."
            case .pause(let connection):
                guard isStale, abs(context.now().timeIntervalSince(drawnAt)) >= 0.24 else { return true }
                drawnAt = context.now()
                if table.isCut, abs(drawnAt.timeIntervalSince(countedAt)) >= 1 {
                    countedAt = drawnAt
                    table.counts = try connection.send(GetStatus()).counts
                }
                screen.show(Self.lines(&table, tasks, context))
                isStale = false
                return true
            }
            isStale = true
            return true
        }
    }

    /// The message after an attempt to cancel a task.
    private static func cancel(_ number: UInt64, _ connection: DaemonConnection) -> String {
        do throws(OffstageError) {
            let record = try connection.send(CancelTask(task: "task:\(number)")).record
            return "Told \(record.request.identifier.redactedControls) to end."
        } catch {
            return error.description.redactedControls
        }
    }

    private static func lines(_ table: inout WatchedTable, _ tasks: WatchedTasks, _ context: CommandContext) -> [String]
    {
        let height = max(4, context.output.rows - 1)
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
