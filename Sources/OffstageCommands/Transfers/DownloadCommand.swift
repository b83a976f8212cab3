// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageFiles

/// `offstage download URL…` fetches files in the background and follows them.
package struct DownloadCommand: Command {
    package static let path = ["download"]
    package static let summary = "Fetch files from URLs, in the background."
    package static let synopsis = [
        "[OPTION…] URL…", "[OPTION…] -o FILE URL", "[OPTION…] -   (a list on standard input)",
    ]
    package static let discussion = """
        Without -o the file is named after the last part of the URL's path, with -J as the server says. As in curl,
        {a,b}, [1-3], [01-10:3] and [a-c] in a URL on the command line expand to several URLs, and #1 in -o is the text of
        the first brackets. A list on standard input has one URL per line, or a URL, a tab and a path. A list of checksums
        is what 'sha256sum' or 'sha256sum --tag' writes; it has to name each file by the end of its URL's path, or as it
        is saved here. A partial file is kept and continued; the file appears when it is whole. A long file
        is fetched in pieces over several connections if that is faster, or with --connections at once. s3://BUCKET/KEY is an
        object of S3, whose key is taken literally; a profile of the AWS command line signs.
        With --mirror or --metalink another address takes over when the one in use fails.
        Follows the transfers until they are done; Ctrl-C only detaches, and they continue in the background.
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
            CommandOption("--create-dirs", help: "create missing directories of -o and --output-dir"),
            CommandOption(
                "--remote-name",
                "-O",
                help: "always on without -o: name the file after the last part of the URL"
            ),
            CommandOption(
                "--remote-header-name",
                "-J",
                help: "take the name that the server gives (Content-Disposition), without -o"
            ),
            CommandOption("--remote-time", "-R", help: "set the file's modification time to the server's"),
            CommandOption("--compressed", help: "request a compressed answer, and decompress it"),
        ] + DownloadParts.options + [
            CommandOption("--get", "-G", help: "add the text of --data to the URL"),
            CommandOption("--data", "-d", value: "TEXT", help: "with -G: added to the URL; repeatable"),
            CommandOption("--data-raw", value: "TEXT", help: "the same, with a literal @"),
            CommandOption("--data-urlencode", value: "NAME=TEXT", help: "the same, with TEXT percent-encoded"),
            CommandOption("--force", help: "replace an existing file"),
            CommandOption("--skip-existing", help: "skip files that already exist, and fetch the rest"),
            CommandOption(hiddenNames: ["--no-clobber"]),
            CommandOption(hiddenNames: ["--url"], value: "URL"),
            CommandOption("--globoff", "-g", help: "take {a,b} and [1-3] in URLs literally"),
            CommandOption("--checksum", value: "sha256:HEX", help: "keep the file only if it has this SHA-256"),
            CommandOption(
                "--checksums",
                value: "LIST",
                kind: .file,
                help: "the same for all files, from a list such as SHA256SUMS"
            ),
        ] + S3PlaceOptions.options("from")
        + ofUploads.map { CommandOption(hiddenNames: $0.names, value: $0.value) }

    /// Options that send something.
    private static let ofUploads: [CurlOptions.Refusal] = [
        (["--upload-file", "-T"], "FILE", "to send a file, use 'offstage upload'"),
        (["--form", "-F", "--form-string"], "NAME=CONTENT", "to send a form, use 'offstage upload'"),
        (["--data-binary", "--json-data", "--data-ascii"], "TEXT", "to send data, use 'offstage upload'"),
    ]

    package static let operands = OperandKind.none

    package static func misunderstanding(_ words: [String]) -> String? { ForeignWords.sentence(words) }

    package static let examples = [
        CommandExample("offstage download https://files.example/disk.iso", "fetch to ./disk.iso and follow it"),
        CommandExample(
            "offstage download -o new.iso --checksum sha256:… https://files.example/disk.iso",
            "keep the file only if its checksum is right"
        ),
        CommandExample(
            "offstage download --checksums SHA256SUMS https://files.example/a.iso https://files.example/b.iso",
            "keep each file only if its checksum is the one in the list"
        ),
        CommandExample(
            "offstage download --detach --output-dir ~/in https://a.example/1 https://b.example/2",
            "fetch both into a directory; print their numbers"
        ),
        CommandExample("offstage download --output-dir ~/in - < urls.txt", "fetch what a list names"),
        CommandExample(
            "offstage download --mirror https://b.example/disk.iso https://a.example/disk.iso",
            "fetch it from the second address if the first one fails"
        ),
        CommandExample("offstage download s3://my-bucket/2026/backup.tar", "fetch an object of S3, in pieces"),
    ]

    let options: TransferOptions
    let outputs: [String]
    let directory: String?
    let overwrites: Bool
    let skipsExisting: Bool
    let makesDirectories: Bool
    let keepsRemoteTime: Bool
    /// Whether the server names the files that have no other name.
    let takesRemoteName: Bool
    let compresses: Bool
    /// The wanted bytes, and the number of connections.
    let parts: DownloadParts
    let s3Options: S3PlaceOptions
    /// Text that is added to URLs.
    let query: [String]
    let checksum: String?
    /// The file with the checksums of all files.
    let checksums: String?
    let operands: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        // An upload's answer is shown anyway.
        guard !arguments.takesAny(of: "--fail-with-body") else {
            throw UsageError(
                "--fail-with-body cannot be honoured here: a file is written only on success, and 'offstage show ID' has the answer to a failure; -f is always on"
            )
        }
        try CurlOptions.refuse(Self.ofUploads, &arguments)
        options = try TransferOptions(&arguments)
        let outputs = arguments.takeValues("--output")
        directory = arguments.takeValue("--output-dir")
        overwrites = arguments.takeFlag("--force")
        // Both must be taken, whichever was given.
        skipsExisting = [arguments.takeFlag("--skip-existing"), arguments.takeFlag("--no-clobber")].contains(true)
        guard !overwrites || !skipsExisting else {
            throw UsageError("--force replaces what is there and --skip-existing leaves it: give one of them")
        }
        makesDirectories = arguments.takeFlag("--create-dirs")
        keepsRemoteTime = arguments.takeFlag("--remote-time")
        takesRemoteName = arguments.takeFlag("--remote-header-name")
        guard !takesRemoteName || !skipsExisting else {
            throw UsageError(
                "--skip-existing needs a file's name before the server gives it: leave out --remote-header-name"
            )
        }
        compresses = arguments.takeFlag("--compressed")
        parts = try DownloadParts(&arguments)
        s3Options = try S3PlaceOptions(&arguments)
        let isNamedAfterURL = arguments.takeFlag("--remote-name")
        let isGet = arguments.takeFlag("--get")
        let texts = arguments.takeValues(ofAny: ["--data", "--data-raw", "--data-urlencode"])
        if let file = texts.first(where: { $0.name == "--data" && $0.value.hasPrefix("@") }) {
            throw UsageError(
                "--data \(file.value): text for a URL is not read from a file; --data-raw takes @ literally"
            )
        }
        query = try texts.map { text throws(UsageError) in
            text.name == "--data-urlencode" ? try URLEncodedText.of(text.value) : text.value
        }
        guard isGet || query.isEmpty else {
            throw UsageError(
                "--data is the body of a request: use 'offstage upload --data', or -G to add it to the URL"
            )
        }
        guard !outputs.contains("-") else {
            throw UsageError("a background download cannot write to standard output: give -o FILE")
        }
        checksum = arguments.takeValue("--checksum")
        checksums = arguments.takeValue("--checksums")
        let named = arguments.takeValues("--url") + arguments.takeOperands()
        guard !named.isEmpty || parts.mirrors.metalink != nil else { throw UsageError(parts.mirrors.missing) }
        // An object's key is used unchanged.
        let isOff = try [arguments.takeFlag("--globoff"), Self.isObjects(named)].contains(true)
        (operands, self.outputs) = try named.isEmpty ? ([], outputs) : URLPattern.expanded(named, outputs, isOff: isOff)
        try check(isNamedAfterURL: isNamedAfterURL)
    }

    /// Refuses options that exclude each other.
    private func check(isNamedAfterURL: Bool) throws(UsageError) {
        if isNamedAfterURL, let other = operands.first(where: { $0 != "-" && !$0.contains("://") }) {
            throw UsageError(
                "'\(other)' is not a URL, and -O takes no value: use -o for a file's name, --output-dir for a directory"
            )
        }
        guard outputs.isEmpty || !operands.contains("-") else {
            throw UsageError("-o is for URLs on the command line; a list names its own files after a tab")
        }
        try checkMirrors()
        guard outputs.isEmpty || outputs.count == operands.count || parts.mirrors.metalink != nil else {
            throw UsageError(
                "there are \(operands.count) URLs and \(outputs.count) -o; give one -o for each, or --output-dir DIR"
            )
        }
        guard checksum == nil || (operands.count == 1 && operands != ["-"]) else {
            throw UsageError("--checksum is for one URL; a list of many is given with --checksums")
        }
        guard checksum == nil || checksums == nil else { throw UsageError("give --checksum or --checksums, not both") }
        guard checksums?.contains("://") != true else {
            throw UsageError("--checksums takes a file: write --checksums <(curl -fsSL URL) for a list on a server")
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        _ = try context.paths()
        let maker = try SpecMaker(options, compresses: compresses, context)
        try checkMetalinkHeaders(maker.headers)
        let sums = try WantedChecksums(checksum, list: checksums, context)
        let umask = UInt32(offstage_umask())
        var skipped: [String] = []
        let places = try places(context).filter { place in
            guard skipsExisting, TargetFile.isThere(place.path) else { return true }
            skipped.append(place.path)
            return false
        }
        // Before anything is created.
        let wanted = try places.map { try $0.checksum ?? sums.sum(for: $0.url, savedAs: $0.path) }
        var specs: [TransferSpec] = []
        specs.reserveCapacity(places.count)
        // Most files of a list have the same directory, which is checked only once.
        var checked: String?
        for (place, sum) in zip(places, wanted) {
            let directory = try TargetFile.directory(of: place.path)
            if directory != checked {
                let isRehearsed = options.isDryRun && makesDirectories && !TargetFile.hasDirectory(place.path)
                if makesDirectories, !options.isDryRun { try TargetFile.makeDirectory(of: place.path) }
                if !isRehearsed { try TargetFile.checkDirectory(directory) }
                checked = directory
            }
            if !place.awaitsName { try TargetFile.checkName(place.path, overwrites: overwrites) }
            var target = TransferSpec.DownloadTarget(
                path: place.path,
                overwrites: overwrites,
                checksum: sum,
                umask: umask
            )
            if keepsRemoteTime { target.keepsRemoteTime = true }
            if place.awaitsName { target.remoteName = .wanted }
            var spec = try maker.make(.download(target), url: place.url)
            spec.dialect = try place.object?.dialectSpec()
            parts.apply(to: &spec)
            try spec.setMirrors(place.mirrors)
            specs.append(spec)
        }
        report(skipped, context)
        return try Submission(specs: specs, snapshots: [], options: options).run(context)
    }

    /// A URL, and the target of its file.
    struct Place {
        var url: RequestURL
        /// The object at the URL, if it is one.
        var object: S3Object?
        var path: String
        /// Whether the server names the file.
        var awaitsName: Bool
        /// All addresses, if there are several.
        var mirrors: MirrorList?
        /// The file's checksum, if it came with the addresses.
        var checksum: Checksum?
    }

    /// The URLs with the targets of their files.
    private func places(_ context: CommandContext) throws -> [Place] {
        if let metalink = parts.mirrors.metalink { return try places(ofMetalink: metalink, context) }
        var taken: Set<String> = []
        let named = try named(context)
        let isObjects = try Self.isObjects(named.map(\.url))
        try checkOptions(isObjects: isObjects)
        let server = isObjects ? try objectServer(context) : nil
        return try named.map { given, name in
            let url = query.isEmpty ? given : Self.adding(query, to: given)
            let object = try server.map { try Self.object(given, at: $0) }
            // The URL is checked first, as a typing error in it is more likely than a missing name.
            let parsed = try object.map { try HostName.url($0.url().unredacted) } ?? HostName.url(url)
            let path = try target(name, of: parsed, context)
            let awaitsName = takesRemoteName && name == nil
            guard awaitsName || taken.insert(path).inserted else {
                throw UsageError("two URLs would both be written to \(path); give them different names with -o")
            }
            let mirrors = try mirrors(of: parsed, isObject: object != nil)
            return Place(url: parsed, object: object, path: path, awaitsName: awaitsName, mirrors: mirrors)
        }
    }

    private func objectServer(_ context: CommandContext) throws -> S3Place {
        try s3Options.place(
            of: "download",
            isRehearsal: options.isDryRun,
            waits: options.waitsForCredentials,
            context
        )
    }

    /// Reports skipped files on standard error, since a program may read standard output.
    private func report(_ skipped: [String], _ context: CommandContext) {
        guard !options.isQuiet, let first = skipped.first else { return }
        let others = skipped.count > 1 ? " and \(Format.count(skipped.count - 1, "other file"))" : ""
        context.output.complain("offstage: \(first.redactedControls)\(others): already there, skipped.")
    }

    /// Adds queries after the URL's own query, as with curl's -G.
    private static func adding(_ query: [String], to url: String) -> String {
        let end = url.firstIndex(of: "#") ?? url.endIndex
        let joint = url[..<end].contains("?") ? "&" : "?"
        return url[..<end] + joint + query.joined(separator: "&") + url[end...]
    }

    /// The URLs, each with the file name given for it, if any.
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

    func target(_ name: String?, of url: RequestURL, _ context: CommandContext) throws -> String {
        if let name, name.hasPrefix("/") || directory == nil { return Self.tidy(try context.absolute(name)) }
        let folder =
            if let directory {
                try context.absolute(directory)
            } else {
                try context.absolute(".", otherwise: "say where to save the file, with -o /PATH or --output-dir /PATH")
            }
        if let name { return Self.tidy(folder + "/" + name) }
        if let last = url.fileName, last != "..", last != ".", !last.utf8.contains(UInt8(ascii: "/")) {
            return Self.tidy(folder + "/" + last)
        }
        guard takesRemoteName else {
            throw UsageError(
                "\(url) does not end with a file name; give one with -o FILE, or take the server's with --remote-header-name"
            )
        }
        return Self.tidy(folder + "/" + Self.nameless)
    }

    /// The name of a file that gets no name from its URL or server.
    private static let nameless = "download"

    /// The path without `//` and `/./`; `..` stays, since it could follow a link.
    static func tidy(_ path: String) -> String {
        // Most paths are tidy, and rebuilding one takes longer than checking it.
        guard !isTidy(path) else { return path }
        let parts = path.pathParts.filter { $0 != "." }
        let tidied = "/" + parts.joined(separator: "/")
        return path.hasSuffix("/") ? tidied + "/" : tidied
    }
    /// Whether a path begins at the root and no part of it is empty or a dot.
    private static func isTidy(_ path: String) -> Bool {
        var part: (count: Int, isDot: Bool) = (0, false)
        var isFirst = true
        for byte in path.utf8 {
            if byte == UInt8(ascii: "/") {
                guard isFirst || (part.count > 0 && !(part.count == 1 && part.isDot)) else { return false }
                part = (0, false)
            } else {
                guard !isFirst else { return false }
                part = (part.count + 1, byte == UInt8(ascii: "."))
            }
            isFirst = false
        }
        return !(part.count == 1 && part.isDot) && !isFirst
    }
}
