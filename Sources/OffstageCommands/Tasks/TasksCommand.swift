// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// `offstage tasks` gives an overview of deferred work: pending and running tasks, and the outcomes of ended ones.
package struct TasksCommand: Command {
    package static let path = ["tasks"]
    package static let summary = "Show deferred tasks: pending, running, done and refused, with next time and reason."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        The tasks that apps have submitted to BGTaskScheduler. Other commands take a task as shown under TASK, by its
        identifier, or as APP/IDENTIFIER. Budgets are the seconds left of each app's day.
        """
    package static let options = [
        CommandOption("--app", value: "APP", help: "only this app's"),
        CommandOption(
            "--limit",
            "-n",
            value: "COUNT",
            help: "at most COUNT pending or running ones (100; all with -q)"
        ),
        CommandOption("--history", value: "COUNT", help: "at most COUNT ended ones (10), besides refusals"),
        CommandOption("--quiet", "-q", help: "print only the names of pending and running ones, one per line"),
    ]
    package static let examples = [
        CommandExample("offstage tasks", "everything at a glance"),
        CommandExample("offstage tasks --app dropoff --history 100", "the whole history of one app"),
        CommandExample("offstage tasks --json | jq '.tasks[] | {identifier, reason}'", "for a script"),
    ]

    private static let mostAtOnce = 1000

    let app: String?
    /// Nil for the default.
    let limit: Int?
    let history: Int
    let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        app = arguments.takeValue("--app")
        limit = try arguments.takeValue("--limit", "a number", Quantity.count).map { min(Self.mostAtOnce, $0) }
        history = min(Self.mostAtOnce, try arguments.takeValue("--history", "a number", Quantity.count) ?? 10)
        isQuiet = arguments.takeFlag("--quiet")
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let app = try self.app.map { try Self.app($0, connection, context) }
        // Refusals are searched further back than other entries, as nothing else reports them.
        let limit = limit ?? (isQuiet ? Self.mostAtOnce : 100)
        var reply = try connection.send(ListTasks(app: app, limit: max(limit, history, 100)))
        reply.rows = Array(reply.rows.prefix(limit))
        if isQuiet {
            for name in Self.names(reply.rows) { context.output.print(name) }
            if reply.count > reply.rows.count {
                context.output.complain("offstage: \(reply.count - reply.rows.count) more tasks are not listed")
            }
            return .success
        }
        if context.printsJSON {
            reply.history = Self.shown(reply.history, history)
            context.output.print(try JSONText.of(Document(reply)))
        } else {
            let text = TaskListText(reply, history: history, now: reply.machine.now(context))
            for line in text.lines(width: context.output.columns, usesColour: context.output.usesColour) {
                context.output.print(line)
            }
        }
        return .success
    }

    /// The app that the user means: a registered one, or a former one whose tasks are still on record.
    private static func app(
        _ word: String,
        _ connection: DaemonConnection,
        _ context: CommandContext
    ) throws -> String {
        do {
            return try connection.app(word, context).id
        } catch let failure as CommandFailure where failure.status == .notFound {
            let gone = Set(try connection.send(ListTasks(limit: mostOnRecord)).history.map(\.app)).sorted()
            let path = try context.absolute(word)
            guard case .one(let id) = AppName.find(word, path: path, among: gone) else { throw failure }
            return id
        }
    }

    /// The most entries that are searched for an app that is no longer registered.
    private static let mostOnRecord = 2000

    /// The last ended tasks, and every refusal, in order.
    private static func shown(_ entries: [TaskEntry], _ count: Int) -> [TaskEntry] {
        var left = count
        return entries.filter { entry in
            if case .refused = entry.outcome { return true }
            left -= 1
            return left >= 0
        }
    }

    /// The names to type: identifiers, preceded by the app if several apps share one.
    static func names(_ rows: [TaskRow]) -> [String] {
        var apps: [String: Set<String>] = [:]
        for row in rows { apps[row.record.request.identifier, default: []].insert(row.record.request.app) }
        return apps.flatMap { identifier, apps in
            apps.count == 1 ? [identifier] : apps.map { "\($0)/\(identifier)" }
        }.map(\.redactedControls).sorted()
    }

    /// The output of `--json`.
    package struct Document: Encodable {
        let tasks: [TaskDocument]
        let count: Int
        let history: [TaskEntryDocument]
        let budgets: [Budget]
        let conditions: ConditionsDocument

        package init(_ reply: ListTasks.Reply) {
            tasks = reply.rows.map(TaskDocument.init)
            count = reply.count
            history = reply.history.map(TaskEntryDocument.init)
            budgets = reply.budgets.map { Budget(app: $0.app, secondsLeft: $0.left, secondsOfDay: $0.daily) }
            conditions = ConditionsDocument(reply.machine)
        }
    }

    struct Budget: Encodable {
        let app: String
        let secondsLeft: Double
        let secondsOfDay: Double
    }
}
