// SPDX-License-Identifier: Apache-2.0
package import OffstageFiles

/// The options that only apply to an upload to Google Cloud Storage: its authorization.
package struct GCSUploadOptions: Sendable, Equatable {
    package static let options: [CommandOption] = [
        CommandOption(
            "--key-file",
            value: "FILE",
            kind: .file,
            help: "to gs://: a key file in JSON (GOOGLE_APPLICATION_CREDENTIALS)"
        ),
        CommandOption("--token-command", value: "COMMAND", help: "to gs://: prints a token each time one is needed"),
    ]

    package var keyFile: String?
    package var tokenCommand: String?
    /// The given options, as written on command lines.
    package var given: [String] {
        [keyFile.map { _ in "--key-file" }, tokenCommand.map { _ in "--token-command" }].compactMap(\.self)
    }

    package init() {}

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        keyFile = arguments.takeValue("--key-file")
        tokenCommand = arguments.takeValue("--token-command")
        guard keyFile == nil || tokenCommand == nil else {
            throw UsageError("tokens come from --key-file or from --token-command, not from both")
        }
    }

    /// The objects' destination and authorization.
    ///
    /// - Throws: `CommandFailure` if there is no authorization.
    package func place(_ context: CommandContext, endpoint: String?) throws(CommandFailure) -> GCSPlace {
        do throws(GCSPlace.Problem) {
            return try GCSPlace.find(
                GCSPlace.Wish(keyFile: keyFile, tokenCommand: tokenCommand, endpoint: endpoint),
                context.environment,
                workingDirectory: context.workingDirectory
            )
        } catch {
            throw CommandFailure("Nothing authorizes the upload, since \(error.detail). \(error.advice)")
        }
    }
}
