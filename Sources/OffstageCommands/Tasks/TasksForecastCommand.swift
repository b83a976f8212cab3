// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage tasks forecast` predicts which tasks would run when, under the current conditions.
package struct TasksForecastCommand: Command {
    package static let path = ["tasks", "forecast"]
    package static let summary = "Predict which tasks would run when, as things stand."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Runs the scheduler's own decision forward: conditions, settings and apps stay as they are now, each run takes as
        long as that app's runs usually do, and no app submits again.
        """
    package static let options = [
        CommandOption("--for", value: "DURATION", help: "how far ahead: 12h, 7d (7d)"),
        CommandOption("--app", value: "APP", help: "only this app's"),
        CommandOption("--limit", "-n", value: "COUNT", help: "at most COUNT starts (100)"),
    ]
    package static let examples = [
        CommandExample("offstage tasks forecast", "the next week"),
        CommandExample("offstage tasks forecast --for 12h --app dropoff", "tonight, for one app"),
    ]

    private static let mostSeconds = 366.0 * 86_400

    let seconds: Double
    let app: String?
    let limit: Int

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let seconds = try arguments.takeValue("--for", "a duration", Quantity.seconds) ?? 7 * 86_400
        guard seconds > 0, seconds <= Self.mostSeconds else { throw UsageError("--for takes up to 366d") }
        self.seconds = seconds
        app = arguments.takeValue("--app")
        limit = min(1000, try arguments.takeValue("--limit", "a number", Quantity.count) ?? 100)
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let app = try self.app.map { try connection.app($0, context).id }
        let machine = try connection.send(GetConditions()).machine
        let reply = try connection.send(ForecastTasks(app: app, seconds: seconds, limit: limit))
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(reply, machine, seconds)))
            return .success
        }
        let now = machine.now(context)
        let output = context.output
        for line in lines(reply, machine, now, output.columns, output.usesColour) { output.print(line) }
        return .success
    }

    private func lines(
        _ reply: ForecastTasks.Reply,
        _ machine: ConditionsReport,
        _ now: Date,
        _ width: Int,
        _ usesColour: Bool
    ) -> [String] {
        var lines = ConditionsText.warnings(machine, usesColour: usesColour)
        let span = Format.duration(seconds)
        if reply.starts.isEmpty {
            lines.append("Nothing would run within \(span), as things stand.")
        } else {
            var table = TextTable([
                .init("WHEN"), .init("IN", isRightAligned: true), .init("TASK", isRightAligned: true),
                .init("IDENTIFIER", isFlexible: true), .init("UNTIL THEN"), .init("KIND"),
            ])
            table.rows = reply.starts.map { start in
                [
                    .init(Format.time(start.date, now: now)),
                    .init(Format.duration(start.date.timeIntervalSince(now))), .init("task:\(start.number)"),
                    .init(TaskText.name(start.identifier, of: start.app)), .init(start.reason.summary),
                    .init(TaskText.kind(start.kind)),
                ]
            }
            lines += table.lines(width: width, usesColour: usesColour)
            if reply.starts.count >= limit { lines.append("… and maybe more: --limit shows them.") }
        }
        if !reply.held.isEmpty {
            lines += ["", "Not within \(span), unless something changes:"]
            lines += TaskListText.table(reply.held, now: now).lines(width: width, usesColour: usesColour)
        }
        return lines
    }

    struct Document: Encodable {
        let seconds: Double
        let starts: [Start]
        let held: [TaskDocument]
        let conditions: ConditionsDocument

        init(_ reply: ForecastTasks.Reply, _ machine: ConditionsReport, _ seconds: Double) {
            self.seconds = seconds
            starts = reply.starts.map(Start.init)
            held = reply.held.map(TaskDocument.init)
            conditions = ConditionsDocument(machine)
        }
    }

    struct Start: Encodable {
        let number: UInt64
        let app: String
        let identifier: String
        let kind: String
        let date: Date
        /// What it waits for until then.
        let reason: String

        init(_ start: TaskForecast) {
            number = start.number
            app = start.app
            identifier = start.identifier
            kind = start.kind.rawValue
            date = start.date
            reason = start.reason.code
        }
    }
}
