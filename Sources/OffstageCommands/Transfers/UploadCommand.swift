// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// `offstage upload FILE… URL` hands files over and follows them; with `-F` they go in one form, and with `dropbox:/…` in
/// place of the URL to an account.
package struct UploadCommand: Command {
    package static let path = ["upload"]
    package static let summary = "Send files to a URL or an account, in the background."
    package static let synopsis = [
        "[OPTION…] FILE… URL", "[OPTION…] FILE… ACCOUNT:/PATH", "[OPTION…] DIRECTORY URL/",
        "[OPTION…] - [URL/]   (a list on standard input)", "[OPTION…] -F NAME=CONTENT… URL",
    ]
    package static let discussion = """
        A URL that ends with / gets each file's name added. A directory's files go below it under their relative
        paths. Folders that a WebDAV server has not got are made, from that of the URL on. A list on standard input has
        a path a line, or a path, a tab and a URL.
        -F sends one form (multipart/form-data, POST) as curl does: NAME=VALUE, NAME=@FILE for a file, NAME=<FILE for a
        field whose text is a file's; ;type= and ;filename= after it; "…" around what has ; or , in it. The files are
        read when it is sent, and the form's Content-Type takes the place of any other.
        dropbox:/PATH in place of a URL is a place in the account of that name ('offstage account add'); its /, too, gets
        each file's name added. Small files go in one request, others in chunks, and the daemon goes on where it was.
        Follows the transfers until they are done; Ctrl-C only detaches, and they go on in the background.
        """
    package static let options =
        TransferOptions.options + [
            CommandOption(
                "--form",
                "-F",
                value: "NAME=CONTENT",
                help: "a field of a form (NAME=VALUE, NAME=<FILE), or a file (NAME=@FILE); repeatable"
            ),
            CommandOption(
                "--form-string",
                value: "NAME=VALUE",
                help: "a field of a form whose value is taken as it is; repeatable"
            ),
            CommandOption(
                "--upload-file",
                "-T",
                value: "FILE",
                kind: .file,
                help: "as a file before the URL; repeatable"
            ),
            CommandOption("--follow-links", help: "of a directory, send what links in it lead to as well"),
            CommandOption("--skip-existing", help: "leave out what the server has already, and send the rest"),
            CommandOption("--snapshot", help: "send a private copy, made now: the file may then be edited"),
            CommandOption(
                "--idempotency-key",
                value: "KEY",
                help: "Idempotency-Key of every attempt (POST, PATCH: made up)"
            ),
            CommandOption("--no-idempotency-key", help: "send no Idempotency-Key"),
            CommandOption(hiddenNames: ["--globoff", "-g"]),
            CommandOption(hiddenNames: ["--url"], value: "URL"),
        ] + ofDownloads.map { CommandOption(hiddenNames: $0.names, value: $0.value) } + RequestData.options
        + AccountUploadOptions.options

    /// What says where an answer goes.
    private static let ofDownloads: [CurlOptions.Refusal] = [
        (
            ["--output", "-o", "--output-dir"], "FILE",
            "the answer to an upload goes into no file: 'offstage show ID' has its beginning"
        ),
        (
            ["--remote-name", "-O", "--remote-header-name", "-J"], nil,
            "the answer to an upload goes into no file: 'offstage show ID' has its beginning"
        ),
        (["--range", "-r"], "RANGE", "a file is sent whole"),
        (["--get", "-G"], nil, "to fetch what a URL with data names, use 'offstage download -G'"),
        (
            ["--checksum", "--checksums"], "TEXT",
            "what was sent is looked at by the server; of a download it is checked"
        ),
    ]

    package static let operands = OperandKind.filesAndAccounts
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
            "offstage upload -F title='My photo' -F 'photo=@a.jpg;type=image/jpeg' https://photos.example/add",
            "send a form with a field and a file"
        ),
        CommandExample(
            "offstage upload --mode overwrite backup.tar dropbox:/Backups/",
            "send one file to Dropbox, in place of one of that name"
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
    /// What `-F` and `--form-string` name; empty when no form is sent.
    let form: [FormArgument]
    let followsLinks: Bool
    let skipsExisting: Bool
    let usesSnapshot: Bool
    /// The body that stands on the command line.
    let data: RequestData
    let idempotencyKey: String?
    let wantsIdempotencyKey: Bool
    let accountOptions: AccountUploadOptions
    let operands: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        try CurlOptions.refuse(Self.ofDownloads, &arguments)
        options = try TransferOptions(&arguments)
        _ = arguments.takeFlag("--globoff")
        followsLinks = arguments.takeFlag("--follow-links")
        skipsExisting = arguments.takeFlag("--skip-existing")
        usesSnapshot = arguments.takeFlag("--snapshot")
        idempotencyKey = arguments.takeValue("--idempotency-key")
        wantsIdempotencyKey = !arguments.takeFlag("--no-idempotency-key")
        accountOptions = try AccountUploadOptions(&arguments)
        form = try FormArgument.all(arguments.takeValues(ofAny: ["--form", "--form-string"]))
        data = try RequestData(&arguments)
        let named = arguments.takeValues("--upload-file")
        guard !named.contains("-"), !data.readsStandardInput else {
            throw UsageError(
                "a body is not read from standard input, since it may have to be sent again: write it to a file first"
            )
        }
        guard !skipsExisting || form.isEmpty && data.isEmpty && options.method ?? "PUT" == "PUT" else {
            throw UsageError("--skip-existing is for files that are put at a URL, not for what is posted")
        }
        operands = named + arguments.takeOperands() + arguments.takeValues("--url")
        guard form.isEmpty || data.isEmpty else { throw UsageError("a request has one body: give -F or --data") }
        guard data.isEmpty else {
            guard operands.count == 1 else { throw UsageError("--data goes to one URL, and no file with it") }
            return
        }
        guard form.isEmpty else {
            guard operands.count == 1 else {
                throw UsageError(
                    "a form goes to one URL: name its files with -F, as in -F 'file=@FILE', and then the URL"
                )
            }
            return
        }
        guard !operands.isEmpty else { throw UsageError("name a file and a URL") }
        if operands == ["-"] { return }
        guard operands.count >= 2 else {
            throw UsageError(
                UploadTarget.isTarget(operands[0])
                    ? "name a file before '\(operands[0])'"
                    : "name the URL that '\(operands[0])' goes to"
            )
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let paths = try context.paths()
        let maker = try SpecMaker(options, context)
        var sources = UploadSources(snapshotFolder: usesSnapshot && !options.isDryRun ? paths.snapshots : nil)
        let specs: [TransferSpec]
        do {
            if !data.isEmpty {
                specs = [try dataSpec(maker, try sources.source(data.bytes(context), in: paths.snapshots))]
            } else {
                specs = try form.isEmpty ? files(maker, &sources, context) : [formSpec(maker, &sources, context)]
            }
        } catch {
            for path in sources.snapshots { unlink(path) }
            throw error
        }
        let submission = Submission(specs: specs, snapshots: sources.snapshots, options: options)
        return try submission.run(context)
    }

    private func files(
        _ maker: SpecMaker,
        _ sources: inout UploadSources,
        _ context: CommandContext
    ) throws -> [TransferSpec] {
        var specs: [TransferSpec] = []
        let pairs = try UploadList.pairs(operands, followsLinks: followsLinks, context)
        let targets = pairs.map { AccountTarget($0.url) }
        try checkOptions(targets)
        // Asked before anything is copied.
        let book = try targets.contains { $0 != nil } ? AccountBook(context) : AccountBook([])
        for (pair, target) in zip(pairs, targets) {
            if let target {
                let account = try book.account(target.account)
                let source = try sources.source(pair.path)
                let parameters = accountOptions.parameters(target, at: account, of: source.identity)
                specs.append(try maker.make(source, parameters))
                continue
            }
            var spec = try maker.make(.upload(try sources.source(pair.path)), url: pair.url)
            // Who takes any answer for the end wants it as it is.
            if spec.method == "PUT", !options.takesAnyStatus { spec.collections = pair.folders }
            if skipsExisting { spec.skipsExisting = true }
            try setIdempotencyKey(&spec)
            specs.append(spec)
        }
        return specs
    }

    /// Refuses options that mean nothing where the files go.
    private func checkOptions(_ targets: [AccountTarget?]) throws(UsageError) {
        if targets.contains(nil), let option = accountOptions.given.first {
            throw UsageError("\(option) is for an upload to an account, such as dropbox:/folder/")
        }
        guard let target = targets.lazy.compactMap(\.self).first, let option = optionsOfRequests.first else { return }
        throw UsageError(
            "\(option) makes no sense with \(target.account):\(target.path): Dropbox says what the requests are like, and the account signs them"
        )
    }

    /// Options that were given and say what a plain request is like.
    private var optionsOfRequests: [String] {
        [
            (options.method != nil, "-X"), (!options.headerTexts.isEmpty, "-H"), (options.user != nil, "-u"),
            (!form.isEmpty, "-F"), (idempotencyKey != nil, "--idempotency-key"),
            (!wantsIdempotencyKey, "--no-idempotency-key"), (options.waitsForCredentials, "--wait-for-credentials"),
            (options.takesAnyStatus, "--any-status"), (!data.isEmpty, "--data"),
            (skipsExisting, "--skip-existing"),
        ].filter(\.0).map(\.1) + options.curl.given
    }

    private func dataSpec(_ maker: SpecMaker, _ source: TransferSpec.UploadSource) throws -> TransferSpec {
        try checkOptions([AccountTarget(operands[0])])
        var spec = try maker.make(.upload(source), url: operands[0])
        if options.method == nil {
            spec.method = "POST"
            spec.connection = spec.connection ?? ConnectionOptions()
            spec.connection?.postsData = true
        }
        spec.headers += data.headers.filter { spec.headers[$0.name] == nil }
        try setIdempotencyKey(&spec)
        return spec
    }

    private func formSpec(
        _ maker: SpecMaker,
        _ sources: inout UploadSources,
        _ context: CommandContext
    ) throws -> TransferSpec {
        try checkOptions([AccountTarget(operands[0])])
        var parts: [FormBody.Part] = []
        for argument in form {
            parts.append(
                try argument.part(context) { path throws(CommandFailure) in try sources.source(path) }
            )
        }
        var spec = try maker.make(.form(FormBody(parts: parts)), url: operands[0])
        try setIdempotencyKey(&spec)
        return spec
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
