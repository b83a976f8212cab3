// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// `offstage app install PATH [-- ARGUMENT…]` registers an app.
package struct AppInstallCommand: Command {
    package static let path = ["app", "install"]
    package static let summary = "Register an app: a Name.app folder, or an executable with an Info.plist."
    package static let synopsis = ["PATH [-- ARGUMENT…]"]
    package static let discussion = """
        An app that was never registered is registered when its process first connects. Its arguments, its working
        directory and the environment variables that say where things are (docs/apps.md) are recorded for its launches;
        each foreground launch records them again. Registering an app again picks up a changed Info.plist.
        """
    package static let operands = OperandKind.files
    package static let examples = [
        CommandExample("offstage app install ~/apps/DropOff.app", "a folder with Info.plist and executable"),
        CommandExample("offstage app install .build/debug/dropoff -- --verbose", "an executable, and its arguments"),
    ]

    let file: String
    let arguments: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard let first = words.first, !first.isEmpty else {
            throw UsageError("name a Name.app folder or an executable")
        }
        file = first
        self.arguments = Array(words.dropFirst())
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let reply = try install(context)
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(app: reply.app, isNew: reply.isNew)))
        } else {
            let app = reply.app.redactedControls
            context.output.print(
                reply.isNew
                    ? "Registered \(app); 'offstage app launch \(app)' opens it."
                    : "\(app) was already registered; its record is now up to date."
            )
        }
        return .success
    }

    private func install(_ context: CommandContext) throws -> InstallApp.Reply {
        let request = InstallApp(
            path: try context.absolute(file),
            arguments: arguments,
            workingDirectory: try context.directory(since: "an app is launched where it was installed"),
            environment: context.environment
        )
        do {
            return try context.connect().send(request)
        } catch let error as OffstageError where error.code == .badRequest {
            // It is about the file, not about the daemon.
            throw CommandFailure(error.subject)
        }
    }

    struct Document: Encodable {
        let app: String
        let isNew: Bool
    }
}
