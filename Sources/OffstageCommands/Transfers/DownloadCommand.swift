// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage download URL…` fetches files in the background and follows them.
package struct DownloadCommand: Command {
    package static let path = ["download"]
    package static let summary = "Fetch files from URLs, in the background."
    package static let synopsis = [
        "[OPTION…] URL…", "[OPTION…] -o FILE URL", "[OPTION…] -   (a list on standard input)",
    ]
    package static let discussion = """
        Without -o the file is named after the last part of the URL's path. A list on standard input has a URL a line,
        or a URL, a tab and a path. What has arrived is kept and gone on with; the file appears when it is whole.
        Follows the transfers until they are done; Ctrl-C only detaches, and they go on in the background.
        """
    package static let options =
        TransferOptions.options + [
            CommandOption(
                "--output",
                "-o",
                value: "FILE",
                kind: .file,
                help: "write to FILE; once for each URL, in order"
            ),
            CommandOption("--output-dir", "-O", value: "DIR", kind: .directory, help: "write into DIR"),
            CommandOption("--force", "-f", help: "replace a file that is there"),
            CommandOption("--checksum", value: "sha256:HEX", help: "keep the file only if it has this SHA-256"),
        ]
    package static let operands = OperandKind.none
    package static let examples = [
        CommandExample("offstage download https://files.example/disk.iso", "fetch to ./disk.iso and follow it"),
        CommandExample(
            "offstage download -o new.iso --checksum sha256:… https://files.example/disk.iso",
            "keep the file only if it is the right one"
        ),
        CommandExample(
            "offstage download --detach -O ~/in https://a.example/1 https://b.example/2",
            "fetch both into a directory; print their numbers"
        ),
        CommandExample("offstage download -O ~/in - < urls.txt", "fetch what a list names"),
    ]

    let options: TransferOptions
    let outputs: [String]
    let directory: String?
    let overwrites: Bool
    let checksum: String?
    let operands: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        options = try TransferOptions(&arguments)
        outputs = arguments.takeValues("--output")
        directory = arguments.takeValue("--output-dir")
        overwrites = arguments.takeFlag("--force")
        checksum = arguments.takeValue("--checksum")
        operands = arguments.takeOperands()
        guard !operands.isEmpty else { throw UsageError("name a URL") }
        guard outputs.isEmpty || !operands.contains("-") else {
            throw UsageError("-o goes with URLs on the command line; a list names its own files after a tab")
        }
        guard outputs.isEmpty || outputs.count == operands.count else {
            throw UsageError(
                "there are \(operands.count) URLs and \(outputs.count) -o; give one -o for each, or -O DIR"
            )
        }
        guard checksum == nil || (operands.count == 1 && operands != ["-"]) else {
            throw UsageError("--checksum is for one URL")
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        _ = try context.paths()
        let maker = try SpecMaker(options, context)
        let sum: Checksum?
        do throws(RequestError) {
            if let checksum { sum = try Checksum(parsing: checksum) } else { sum = nil }
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        var taken: Set<String> = []
        var specs: [TransferSpec] = []
        for (url, name) in try named(context) {
            // The URL is looked at first: a mistyped one is the likelier mistake than a missing name.
            let parsed: RequestURL
            do throws(RequestError) { parsed = try RequestURL(url) } catch {
                throw CommandFailure(error.sentence, .usage)
            }
            let path = try target(name, of: parsed, context)
            guard taken.insert(path).inserted else {
                throw UsageError("two URLs would both be written to \(path); name them apart with -o")
            }
            try TargetFile.check(path, overwrites: overwrites)
            specs.append(
                try maker.make(.download(.init(path: path, overwrites: overwrites, checksum: sum)), url: parsed)
            )
        }
        return try Submission(specs: specs, snapshots: [], options: options).run(context)
    }

    /// URLs with the name of the file that was given for each, if any.
    private func named(_ context: CommandContext) throws -> [(url: String, name: String?)] {
        var all: [(String, String?)] = []
        for (index, operand) in operands.enumerated() {
            if operand == "-" {
                for entry in try InputLines.parse(context.readInput()) { all.append((entry.first, entry.second)) }
            } else {
                all.append((operand, outputs.isEmpty ? nil : outputs[index]))
            }
        }
        guard !all.isEmpty else { throw UsageError("standard input names no URL") }
        return all
    }

    private func target(_ name: String?, of url: RequestURL, _ context: CommandContext) throws -> String {
        let folder = context.absolute(directory ?? ".")
        if let name {
            if name.hasPrefix("/") || directory == nil { return Self.tidy(context.absolute(name)) }
            return Self.tidy(folder + "/" + name)
        }
        guard let last = url.fileName, last != "..", last != ".", !last.contains("/") else {
            throw UsageError("\(url) ends with no file name; give one with -o FILE")
        }
        return Self.tidy(folder + "/" + last)
    }

    /// The path without `//` and `/./`; `..` stays, since a link could be before it.
    static func tidy(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }
        let tidied = "/" + parts.joined(separator: "/")
        return path.hasSuffix("/") ? tidied + "/" : tidied
    }
}
