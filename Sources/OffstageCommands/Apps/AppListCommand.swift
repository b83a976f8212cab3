// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// `offstage app list` prints all registered apps.
package struct AppListCommand: Command {
    package static let path = ["app", "list"]
    package static let summary = "List apps and their states."
    package static let synopsis = ["[OPTION…]"]
    package static let options = [
        CommandOption("--quiet", "-q", help: "print only identifiers, one per line")
    ]
    package static let examples = [
        CommandExample("offstage app list", "all apps"),
        CommandExample("offstage app list --json | jq '.apps[] | select(.state == \"suspended\")'", "for a script"),
    ]

    let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isQuiet = arguments.takeFlag("--quiet")
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let rows = try context.connect().send(ListApps()).rows
        let output = context.output
        if context.printsJSON {
            output.print(try JSONText.of(Document(apps: rows.map(AppDocument.init))))
        } else if isQuiet {
            for row in rows { output.print(row.id.redactedControls) }
        } else if rows.isEmpty {
            output.print("No app is registered; 'offstage app install --help' shows how to register one.")
        } else {
            let table = AppTable.table(rows, now: context.now())
            for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
        }
        return .success
    }

    struct Document: Encodable {
        let apps: [AppDocument]
    }
}
