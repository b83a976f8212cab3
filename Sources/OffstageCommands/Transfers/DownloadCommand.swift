// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
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
            CommandOption("--output-dir", value: "DIR", kind: .directory, help: "write into DIR"),
            CommandOption("--create-dirs", help: "make the directories of -o and --output-dir that are missing"),
            CommandOption("--remote-name", "-O", help: "as always without -o: named after the last part of the URL"),
            CommandOption("--remote-time", "-R", help: "give the file the time that it was last changed at"),
            CommandOption("--compressed", help: "ask for a compressed answer, and undo that"),
            CommandOption("--get", "-G", help: "put what --data names into the URL"),
            CommandOption("--data", "-d", value: "TEXT", help: "with -G: added to the URL; repeatable"),
            CommandOption("--data-raw", value: "TEXT", help: "the same, where @ is a letter like any other"),
            CommandOption("--force", help: "replace a file that is there"),
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
            "offstage download --detach --output-dir ~/in https://a.example/1 https://b.example/2",
            "fetch both into a directory; print their numbers"
        ),
        CommandExample("offstage download --output-dir ~/in - < urls.txt", "fetch what a list names"),
    ]

    let options: TransferOptions
    let outputs: [String]
    let directory: String?
    let overwrites: Bool
    let makesDirectories: Bool
    let keepsRemoteTime: Bool
    let compresses: Bool
    /// What is added to URLs.
    let query: [String]
    let checksum: String?
    let operands: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        options = try TransferOptions(&arguments)
        outputs = arguments.takeValues("--output")
        directory = arguments.takeValue("--output-dir")
        overwrites = arguments.takeFlag("--force")
        makesDirectories = arguments.takeFlag("--create-dirs")
        keepsRemoteTime = arguments.takeFlag("--remote-time")
        compresses = arguments.takeFlag("--compressed")
        let isNamedAfterURL = arguments.takeFlag("--remote-name")
        let isGet = arguments.takeFlag("--get")
        let texts = arguments.takeValues(ofAny: ["--data", "--data-raw"])
        if let file = texts.first(where: { $0.name == "--data" && $0.value.hasPrefix("@") }) {
            throw UsageError(
                "--data \(file.value): what goes into a URL is not read from a file; --data-raw takes @ as a letter"
            )
        }
        query = texts.map(\.value)
        guard isGet || query.isEmpty else {
            throw UsageError(
                "--data is the body of a request: use 'offstage upload --data', or -G to add it to the URL"
            )
        }
        guard !outputs.contains("-") else {
            throw UsageError("a download that goes on by itself cannot write to standard output: give -o FILE")
        }
        checksum = arguments.takeValue("--checksum")
        operands = arguments.takeOperands()
        guard !operands.isEmpty else { throw UsageError("name a URL") }
        if isNamedAfterURL, let other = operands.first(where: { $0 != "-" && !$0.contains("://") }) {
            throw UsageError(
                "'\(other)' is no URL, and -O takes none: a file's name goes with -o, a directory with --output-dir"
            )
        }
        guard outputs.isEmpty || !operands.contains("-") else {
            throw UsageError("-o goes with URLs on the command line; a list names its own files after a tab")
        }
        guard outputs.isEmpty || outputs.count == operands.count else {
            throw UsageError(
                "there are \(operands.count) URLs and \(outputs.count) -o; give one -o for each, or --output-dir DIR"
            )
        }
        guard checksum == nil || (operands.count == 1 && operands != ["-"]) else {
            throw UsageError("--checksum is for one URL")
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        _ = try context.paths()
        let maker = try SpecMaker(options, compresses: compresses, context)
        let sum: Checksum?
        do throws(RequestError) {
            if let checksum { sum = try Checksum(parsing: checksum) } else { sum = nil }
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        let umask = UInt32(offstage_umask())
        var taken: Set<String> = []
        var specs: [TransferSpec] = []
        for (given, name) in try named(context) {
            let url = query.isEmpty ? given : Self.adding(query, to: given)
            // The URL is looked at first: a mistyped one is the likelier mistake than a missing name.
            let parsed: RequestURL
            do throws(RequestError) { parsed = try RequestURL(url) } catch {
                throw CommandFailure(error.sentence, .usage)
            }
            let path = try target(name, of: parsed, context)
            guard taken.insert(path).inserted else {
                throw UsageError("two URLs would both be written to \(path); name them apart with -o")
            }
            if makesDirectories { try TargetFile.makeDirectory(of: path) }
            try TargetFile.check(path, overwrites: overwrites)
            var place = TransferSpec.DownloadTarget(
                path: path,
                overwrites: overwrites,
                checksum: sum,
                umask: umask
            )
            if keepsRemoteTime { place.keepsRemoteTime = true }
            specs.append(try maker.make(.download(place), url: parsed))
        }
        return try Submission(specs: specs, snapshots: [], options: options).run(context)
    }

    /// As curl's -G: behind what the query has already.
    private static func adding(_ query: [String], to url: String) -> String {
        let end = url.firstIndex(of: "#") ?? url.endIndex
        let joint = url[..<end].contains("?") ? "&" : "?"
        return url[..<end] + joint + query.joined(separator: "&") + url[end...]
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
        if let name, name.hasPrefix("/") || directory == nil { return Self.tidy(try context.absolute(name)) }
        let folder = try context.absolute(directory ?? ".")
        if let name { return Self.tidy(folder + "/" + name) }
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
