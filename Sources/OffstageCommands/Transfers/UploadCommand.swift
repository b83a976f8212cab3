// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// `offstage upload FILE… URL` hands files over and follows them.
package struct UploadCommand: Command {
    package static let path = ["upload"]
    package static let summary = "Send files to a URL, in the background."
    package static let synopsis = [
        "[OPTION…] FILE… URL", "[OPTION…] DIRECTORY URL/", "[OPTION…] - [URL/]   (a list on standard input)",
    ]
    package static let discussion = """
        A URL that ends with / gets each file's name added. A directory's files go below it under their relative
        paths. A list on standard input has a path a line, or a path, a tab and a URL.
        Follows the transfers until they are done; Ctrl-C only detaches, and they go on in the background.
        """
    package static let options =
        TransferOptions.options + [
            CommandOption("--snapshot", help: "send a private copy, made now: the file may then be edited"),
            CommandOption(
                "--idempotency-key",
                value: "KEY",
                help: "Idempotency-Key of every attempt (POST, PATCH: made up)"
            ),
            CommandOption("--no-idempotency-key", help: "send no Idempotency-Key"),
        ]
    package static let operands = OperandKind.files
    package static let examples = [
        CommandExample(
            "offstage upload backup.tar https://files.example/in/",
            "send one file to …/in/backup.tar and follow it"
        ),
        CommandExample(
            "offstage upload -X POST -H 'Authorization: Bearer …' data.json https://api.example/items",
            "send it as curl would"
        ),
        CommandExample(
            "offstage upload --detach --limit-rate 500k photos https://files.example/2026/",
            "send a directory's files slowly; print their numbers"
        ),
        CommandExample(
            "find . -name '*.log' | offstage upload - https://files.example/logs/",
            "send what a list names"
        ),
    ]

    let options: TransferOptions
    let usesSnapshot: Bool
    let idempotencyKey: String?
    let wantsIdempotencyKey: Bool
    let operands: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        options = try TransferOptions(&arguments)
        usesSnapshot = arguments.takeFlag("--snapshot")
        idempotencyKey = arguments.takeValue("--idempotency-key")
        wantsIdempotencyKey = !arguments.takeFlag("--no-idempotency-key")
        operands = arguments.takeOperands()
        guard !operands.isEmpty else { throw UsageError("name a file and a URL") }
        if operands == ["-"] { return }
        guard operands.count >= 2 else {
            throw UsageError(
                operands[0].contains("://")
                    ? "name a file before the URL" : "name the URL that '\(operands[0])' goes to"
            )
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let paths = try context.paths()
        let maker = try SpecMaker(options, context)
        let pairs = try UploadList.pairs(operands, context)
        var specs: [TransferSpec] = []
        var snapshots: [String] = []
        do {
            for pair in pairs {
                let source: TransferSpec.UploadSource
                if usesSnapshot {
                    let copy = try SnapshotFile.make(of: pair.path, in: paths.snapshots)
                    snapshots.append(copy.path)
                    source = .init(path: copy.path, identity: copy.identity, isSnapshot: true)
                } else {
                    source = .init(path: pair.path, identity: try SourceFile.identity(pair.path))
                }
                var spec = try maker.make(.upload(source), url: pair.url)
                try setIdempotencyKey(&spec)
                specs.append(spec)
            }
        } catch {
            for path in snapshots { unlink(path) }
            throw error
        }
        let submission = Submission(specs: specs, snapshots: snapshots, options: options)
        return try submission.run(context)
    }

    /// A request that is not idempotent may be repeated: the key lets the server tell (draft-ietf-httpapi-idempotency-key).
    private func setIdempotencyKey(_ spec: inout TransferSpec) throws {
        guard wantsIdempotencyKey, spec.headers["Idempotency-Key"] == nil else { return }
        if let idempotencyKey {
            spec.idempotencyKey = idempotencyKey
        } else if spec.method == "POST" || spec.method == "PATCH" {
            spec.idempotencyKey = RandomKey.make()
        }
        do throws(RequestError) { try spec.validate() } catch { throw CommandFailure(error.sentence, .usage) }
    }
}
