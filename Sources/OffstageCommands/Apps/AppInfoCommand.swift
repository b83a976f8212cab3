// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// `offstage app info ID` prints everything that may be shown about an app.
package struct AppInfoCommand: Command {
    package static let path = ["app", "info"]
    package static let summary = "Show everything about an app: state, background tasks, how it is launched."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        Shows only the names of the recorded environment variables, and only the number of arguments, which may contain
        a secret.
        """
    package static let options = [CommandOption("--reveal", help: "show the arguments")]
    package static let operands = OperandKind.apps
    package static let examples = [
        CommandExample("offstage app info com.example.dropoff", "by identifier"),
        CommandExample("offstage app info dropoff", "by its last component, or the beginning of either"),
    ]

    let app: String
    let reveals: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        reveals = arguments.takeFlag("--reveal")
        app = try AppName.parse(&arguments)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let info = try connection.send(ShowApp(app: connection.app(app, context).id, reveals: reveals))
        if context.printsJSON {
            context.output.print(try JSONText.of(AppDetailDocument(info)))
        } else {
            for line in AppDetailText.lines(info, now: context.now()) { context.output.print(line) }
        }
        return .success
    }
}
