// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Why tasks do not run: the tasks that match a name, or all waiting ones.
struct TaskWhy {
    /// Nil for all waiting tasks.
    private let name: String?
    let rows: [TaskRow]
    /// The number of further waiting tasks.
    let more: Int
    let history: [TaskEntry]
    let machine: ConditionsReport

    /// The most waiting tasks that are shown without a name.
    private static let most = 50
    /// The most outcomes of earlier requests that are shown.
    private static let mostEntries = 5

    init(_ name: String, _ connection: DaemonConnection) throws(OffstageError) {
        let reply = try connection.send(ShowTask(task: name))
        self.name = name
        (rows, more) = (reply.rows, 0)
        history = reply.history
        machine = reply.machine
    }

    init(waiting connection: DaemonConnection) throws(OffstageError) {
        let reply = try connection.send(ListTasks(limit: Self.most))
        name = nil
        let waiting = reply.rows.filter { $0.record.phase == .pending }
        (rows, more) = (waiting, reply.count - reply.rows.count)
        history = []
        machine = reply.machine
    }

    var documents: [TaskDocument] { rows.map(TaskDocument.init) }

    func lines(_ context: CommandContext) -> [String] {
        let usesColour = context.output.usesColour
        let now = machine.now(context)
        var lines = rows.flatMap { TaskText.why($0, machine, now: now, usesColour: usesColour) }
        if more > 0 { lines.append("… and \(more) more tasks; 'offstage tasks' shows them.") }
        if let name {
            if rows.isEmpty { lines.append("No task '\(name.redactedControls)' is pending or running.") }
            lines += before(now, usesColour)
        }
        // Whatever the reason, the reader must know that conditions are pretended.
        if name != nil || !rows.isEmpty { lines += ConditionsText.warnings(machine, usesColour: usesColour) }
        return lines
    }

    /// The outcomes of earlier requests.
    private func before(_ now: Date, _ usesColour: Bool) -> [String] {
        let entries = history.prefix(Self.mostEntries)
        if entries.isEmpty { return [] }
        let lines = entries.map { entry in
            let outcome = TaskText.style(entry)?(TaskText.outcome(entry), usesColour) ?? TaskText.outcome(entry)
            return "    \(Format.time(entry.date, now: now))  \(outcome)"
        }
        guard case .refused? = entries.first?.outcome else { return ["    Before:"] + lines }
        return ["    Before:"] + lines + ["    \(TaskText.swallowed)"]
    }
}
