// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// An overview of deferred work.
package struct TaskListText {
    private let reply: ListTasks.Reply
    private let history: Int
    private let now: Date

    /// - Parameters:
    ///   - reply: the daemon's answer, of which all rows are shown.
    ///   - history: the most ended tasks to show, in addition to refusals.
    ///   - now: the daemon's time.
    package init(_ reply: ListTasks.Reply, history: Int, now: Date) {
        self.reply = reply
        self.history = history
        self.now = now
    }

    package func lines(width: Int, usesColour: Bool) -> [String] {
        var lines = ConditionsText.warnings(reply.machine, usesColour: usesColour)
        if reply.count == 0 {
            lines.append("No task is pending or running.")
        } else {
            lines += Self.table(reply.rows, now: now).lines(width: width, usesColour: usesColour)
        }
        lines += ended(width, usesColour)
        lines += refused(width, usesColour)
        lines += budgets()
        lines.append("Machine: \(ConditionsText.line(reply.machine))")
        lines.append(Style.faint(summary, usesColour))
        return lines
    }

    /// A table of running and pending tasks.
    package static func table(_ rows: [TaskRow], now: Date) -> TextTable {
        var table = TextTable([
            .init("TASK", isRightAligned: true), .init("IDENTIFIER", isFlexible: true), .init("STATE"), .init("WHY"),
            .init("NEXT"), .init("KIND"),
        ])
        table.rows = rows.map { row in
            let request = row.record.request
            return [
                .init("task:\(request.number)"), .init(TaskText.name(request.identifier, of: request.app)),
                .init(state(row.record.phase), row.record.phase == .pending ? nil : .good),
                .init(TaskText.standing(row), TaskText.style(row)), .init(TaskText.next(row, now: now)),
                .init(TaskText.kind(request.kind)),
            ]
        }
        return table
    }

    private static func state(_ phase: TaskRecord.Phase) -> String {
        switch phase {
        case .pending: "pending"
        case .starting: "starting"
        case .running: "running"
        }
    }

    private func isRefusal(_ entry: TaskEntry) -> Bool {
        if case .refused = entry.outcome { true } else { false }
    }

    private func ended(_ width: Int, _ usesColour: Bool) -> [String] {
        let entries = reply.history.filter { !isRefusal($0) }.prefix(history)
        if entries.isEmpty { return [] }
        var table = TextTable([.init("ENDED"), .init("IDENTIFIER"), .init("OUTCOME", isFlexible: true)])
        table.rows = entries.map { entry in
            [
                .init(Format.time(entry.date, now: now)), .init(TaskText.name(entry.identifier, of: entry.app)),
                .init(TaskText.outcome(entry), TaskText.style(entry)),
            ]
        }
        return [""] + table.lines(width: width, usesColour: usesColour)
    }

    /// The last refusal of each identifier, in full, as often nothing else reports it.
    private func refused(_ width: Int, _ usesColour: Bool) -> [String] {
        var seen: Set<String> = []
        let entries = reply.history.filter { entry in
            isRefusal(entry) && seen.insert("\(entry.app)\n\(entry.identifier)").inserted
        }.prefix(5)
        if entries.isEmpty { return [] }
        let lines = entries.flatMap { entry in
            [
                "\(Format.time(entry.date, now: now))  \(TaskText.name(entry.identifier, of: entry.app))",
                "    \(Style.bad(TaskText.outcome(entry), usesColour))",
            ]
        }
        return ["", "REFUSED"] + lines + ["    " + TaskText.swallowed]
    }

    /// The budgets, beginning with the app that has the least time left.
    private func budgets() -> [String] {
        let rows = reply.budgets.sorted { ($0.left, $0.app) < ($1.left, $1.app) }
        let lines = rows.prefix(Self.mostBudgets).map { budget in
            let left = Format.duration(budget.left)
            return "Budget:  \(budget.app.redactedControls): \(left) of \(Format.duration(budget.daily)) a day left"
        }
        let more = rows.count > lines.count ? ["… and \(rows.count - lines.count) more apps: --app APP"] : []
        return [""] + lines + more
    }

    /// The most apps whose budgets are shown.
    private static let mostBudgets = 10

    /// `3 tasks: 1 running, 2 pending`.
    private var summary: String {
        let running = reply.rows.count { $0.record.phase != .pending }
        var text = "\(reply.count) task\(reply.count == 1 ? "" : "s")"
        if reply.count > 0 { text += ": \(running) running, \(reply.count - running) pending" }
        if reply.count > reply.rows.count { text += " — \(reply.rows.count) shown; more: --limit \(reply.count)" }
        return text
    }
}
