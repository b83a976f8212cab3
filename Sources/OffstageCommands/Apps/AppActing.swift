// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// A command that performs one action on an app: `launch`, `background`, `foreground`, `quit`, `terminate`, `remove`.
package protocol AppActing: Command {
    var app: String { get }
    var verb: ActOnApp.Verb { get }
    /// Whether to wait until the app has reached the state it was sent to.
    var waits: Bool { get }
    /// The message after the action.
    ///
    /// - Parameters:
    ///   - id: the app's identifier.
    ///   - reply: the daemon's answer.
    /// - Returns: a sentence, and the status to exit with.
    func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus)
}

extension AppActing {
    package static var operands: OperandKind { .apps }
    package static var options: [CommandOption] { [AppWaiting.option] }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let id = try connection.app(app, context).id
        let reply = try connection.send(ActOnApp(app: id, verb: verb, waits: waits))
        let (sentence, status) = outcome(id.redactedControls, reply)
        if context.printsJSON {
            context.output.print(
                try JSONText.of(
                    AppActionDocument(
                        app: id,
                        state: reply.row?.state.rawValue,
                        process: reply.row?.process,
                        cancelledTransfers: reply.cancelledTransfers
                    )
                )
            )
        } else if status == .success {
            context.output.print(sentence)
        }
        if status != .success { context.output.complain("offstage: \(sentence)") }
        return status
    }
}

/// `--no-wait`, which the commands share.
enum AppWaiting {
    static let option = CommandOption("--no-wait", help: "do not wait until the app has reached that state")
}

extension AppRow {
    /// `com.example.dropoff is active (process 4711).`
    var standing: String {
        "\(id.redactedControls) is \(AppTable.words(self))\(process.map { " (process \($0))" } ?? "")."
    }
}

/// The result of an action on an app, in `--json` output (docs/json.md).
struct AppActionDocument: Encodable {
    let app: String
    let state: String?
    let process: Int32?
    let cancelledTransfers: Int
}
