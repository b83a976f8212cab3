// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage notifications` lists the pending and delivered notifications of apps.
package struct NotificationsCommand: Command {
    package static let path = ["notifications"]
    package static let summary = "List notifications of apps, pending and delivered."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        The notifications that apps have handed to UNUserNotificationCenter. With a desktop session, due ones are shown
        there; without one they appear here, and in 'offstage app log'.
        """
    package static let options = [CommandOption("--app", value: "APP", help: "only this app's")]
    package static let examples = [
        CommandExample("offstage notifications", "everything at a glance"),
        CommandExample("offstage notifications --json | jq '.notifications[] | select(.delivered)'", "for a script"),
    ]

    let app: String?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        app = arguments.takeValue("--app")
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let app = try self.app.map { try connection.app($0, context).id }
        let reply = try connection.send(ListNotifications(app: app))
        let rows = reply.rows
        let output = context.output
        if context.printsJSON {
            output.print(try JSONText.of(Document(notifications: rows.map(Row.init), count: reply.count)))
        } else if rows.isEmpty {
            output.print("No app has a pending or delivered notification.")
        } else {
            let table = Self.table(rows, now: context.now())
            for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
            let hidden = reply.count - rows.count  // checked: a daemon's count of rows
            if hidden > 0 { output.complain("offstage: \(hidden) more are not shown: use --app") }
        }
        return .success
    }

    static func table(_ rows: [NotificationRow], now: Date) -> TextTable {
        var table = TextTable([
            .init("APP"), .init("NOTIFICATION"), .init("STATE"), .init("TITLE", isFlexible: true),
        ])
        table.rows = rows.map { row in
            let time = Format.time(row.date, now: now)
            let state = row.isDelivered ? "delivered \(time)" : row.repeats ? "due \(time), again" : "due \(time)"
            return [
                .init(AppName.lastComponent(row.app)), .init(row.identifier),
                .init(state, row.isDelivered ? .strong : .faint), .init(row.title),
            ]
        }
        return table
    }

    struct Document: Encodable {
        let notifications: [Row]
        /// The number of all notifications, including those that are not shown.
        let count: Int
    }

    /// docs/json.md
    struct Row: Encodable {
        struct Action: Encodable {
            let identifier: String
            let title: String
        }

        let app: String
        let identifier: String
        let title: String
        let body: String
        let delivered: Bool
        let date: Date
        let repeats: Bool
        let actions: [Action]

        init(_ row: NotificationRow) {
            app = row.app
            identifier = row.identifier
            title = row.title
            body = row.body
            delivered = row.isDelivered
            date = row.date
            repeats = row.repeats
            actions = row.actions.map { Action(identifier: $0.identifier, title: $0.title) }
        }
    }
}
