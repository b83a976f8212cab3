// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// `offstage upload FILE… URL` hands files over and follows them. With `-F` they are sent in one form. With
/// `dropbox:/…` in place of the URL they go to an account, with `s3://…` to S3, and with `gs://…` to Google Cloud
/// Storage.
package struct UploadCommand: Command {
    package static let path = ["upload"]
    package static let summary = "Send files to a URL, an account, S3 or Google Cloud Storage, in the background."
    package static let synopsis = [
        "[OPTION…] FILE… URL", "[OPTION…] FILE… ACCOUNT:/PATH", "[OPTION…] FILE… s3://BUCKET/KEY",
        "[OPTION…] FILE… gs://BUCKET/OBJECT", "[OPTION…] DIRECTORY URL/",
        "[OPTION…] - [URL/]   (a list on standard input)", "[OPTION…] -F NAME=CONTENT… URL",
        "--fleet [OPTION…] FILE… URL   (a member of the fleet sends it)",
    ]
    package static let discussion = """
        Each file's name is added to a URL that ends with /. A directory's files go below it under their relative paths.
        Folders missing on a WebDAV server are created, from the URL's own downwards. A list on standard input has one path
        per line, or a path, a tab and a URL.
        -F sends one form (multipart/form-data, POST) as curl does: NAME=VALUE, NAME=@FILE for a file, NAME=<FILE for a
        field with a file's text; ;type= and ;filename= after it; "…" around a value that contains ; or ,. The files are
        read when the form is sent, and the form's Content-Type replaces any other.
        A file of 1 MiB or more continues where it stopped if the server supports the IETF's resumable uploads: two
        header fields request them, which other servers ignore. --protocol plain leaves them out.
        With --protocol tus, URL is the endpoint of a tus server (https://tus.io): the file is sent there in chunks, and after
        an interruption it continues where the server says that it stopped. Names are not added to the URL.
        dropbox:/PATH instead of a URL is a place in the account of that name ('offstage account add'); names are added to
        its final /, too. Small files are sent in one request, others in chunks, and the daemon continues where it
        stopped.
        s3://BUCKET/KEY is an object at AWS, or at any S3 server with --endpoint-url; the keys are those of 'aws configure'.
        A large file is sent in parts, several at once, and continues with those that are missing.
        gs://BUCKET/OBJECT is an object in Google Cloud Storage. Tokens come from a key file (GOOGLE_APPLICATION_CREDENTIALS,
        or 'gcloud auth application-default login') or a command. The file continues where the server says that it stopped.
        Follows the transfers until they are done; Ctrl-C only detaches, and they continue in the background.
        With --fleet the files are rows of the fleet that 'offstage fleet use' names: the command prints their numbers and ends,
        and a member sends each. A path is on storage that the members share, or the row is bound to one: --on member=NAME. Each
        line of a list may also be JSON (docs/fleet.md).
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
                help: "a field of a form whose value is taken literally; repeatable"
            ),
            CommandOption(
                "--upload-file",
                "-T",
                value: "FILE",
                kind: .file,
                help: "the same as FILE before the URL; repeatable"
            ),
            CommandOption("--follow-links", help: "also send what links in a directory point to"),
            CommandOption("--skip-existing", help: "skip files that the server already has, and send the rest"),
            CommandOption("--snapshot", help: "send a private copy, made now: the file may then be edited"),
            CommandOption(
                "--idempotency-key",
                value: "KEY",
                help: "Idempotency-Key of every attempt (POST, PATCH: generated)"
            ),
            CommandOption("--no-idempotency-key", help: "send no Idempotency-Key"),
            CommandOption(hiddenNames: ["--globoff", "-g"]),
            CommandOption(hiddenNames: ["--url"], value: "URL"),
        ] + ofDownloads.map { CommandOption(hiddenNames: $0.names, value: $0.value) } + RequestData.options
        + ProtocolOptions.options + AccountUploadOptions.options + S3UploadOptions.options
        + GCSUploadOptions.options + FleetUploadOptions.options

    /// Options for the destination of an answer.
    private static let ofDownloads: [CurlOptions.Refusal] = [
        (
            ["--output", "-o", "--output-dir"], "FILE",
            "the answer to an upload is not saved: 'offstage show ID' has its beginning"
        ),
        (
            ["--remote-name", "-O", "--remote-header-name", "-J"], nil,
            "the answer to an upload is not saved: 'offstage show ID' has its beginning"
        ),
        (["--range", "-r"], "RANGE", "a file is sent whole"),
        (["--get", "-G"], nil, "to fetch a URL with data, use 'offstage download -G'"),
        (
            ["--checksum", "--checksums"], "TEXT",
            "only downloads are checked; the server checks what it receives"
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
            "offstage upload --protocol tus film.mov https://tusd.example/files/",
            "send it in chunks to a tus server"
        ),
        CommandExample(
            "offstage upload --mode overwrite backup.tar dropbox:/Backups/",
            "send one file to Dropbox, replacing one of that name"
        ),
        CommandExample(
            "offstage upload --profile work backup.tar s3://my-bucket/backups/",
            "send one file to S3 with the keys of a profile"
        ),
        CommandExample(
            "offstage upload --token-command 'gcloud auth print-access-token' backup.tar gs://my-bucket/backups/",
            "send one file to Google Cloud Storage with gcloud's token"
        ),
        CommandExample(
            "offstage upload --detach --limit-rate 500k photos https://files.example/2026/",
            "send a directory's files slowly; print their numbers"
        ),
        CommandExample(
            "find . -name '*.log' | offstage upload - https://files.example/logs/",
            "send what a list names"
        ),
        CommandExample(
            "find /mnt/media -name '*.mov' | offstage upload --fleet --on site=seoul - https://files.example/in/",
            "let the fleet's members in Seoul send what a list names"
        ),
    ]

    package let options: TransferOptions
    /// The parts named by `-F` and `--form-string`; empty if no form is sent.
    let form: [FormArgument]
    package let followsLinks: Bool
    let skipsExisting: Bool
    let usesSnapshot: Bool
    /// The body given on the command line.
    let data: RequestData
    let idempotencyKey: String?
    let wantsIdempotencyKey: Bool
    let accountOptions: AccountUploadOptions
    package let protocolOptions: ProtocolOptions
    let s3Options: S3UploadOptions
    let gcsOptions: GCSUploadOptions
    /// The options for a fleet; nil for transfers of this machine.
    package let fleet: FleetUploadOptions?
    package let operands: [String]

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
        protocolOptions = try ProtocolOptions(&arguments)
        s3Options = try S3UploadOptions(&arguments)
        gcsOptions = try GCSUploadOptions(&arguments)
        fleet = try FleetUploadOptions(&arguments)
        form = try FormArgument.all(arguments.takeValues(ofAny: ["--form", "--form-string"]))
        data = try RequestData(&arguments)
        let named = arguments.takeValues("--upload-file")
        guard !named.contains("-"), !data.readsStandardInput else {
            throw UsageError(
                "a body is not read from standard input, since it may have to be sent again: write it to a file first"
            )
        }
        guard !skipsExisting || form.isEmpty && data.isEmpty && options.method ?? "PUT" == "PUT" else {
            throw UsageError("--skip-existing is for files sent with PUT, not with POST")
        }
        operands = named + arguments.takeOperands() + arguments.takeValues("--url")
        try checkProtocol()
        try checkFleet()
        guard form.isEmpty || data.isEmpty else { throw UsageError("a request has one body: give -F or --data") }
        guard data.isEmpty else {
            guard operands.count == 1 else { throw UsageError("--data goes to one URL, without files") }
            return
        }
        guard form.isEmpty else {
            guard !options.recordsDigest else { throw UsageError("--sha256 is for files, and a form is not one") }
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
                    : "name the URL to send '\(operands[0])' to"
            )
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        if fleet != nil { return try context.fleet(self, context) }
        let paths = try context.paths()
        let maker = try SpecMaker(options, context)
        var sources = UploadSources(snapshotFolder: usesSnapshot && !options.isDryRun ? paths.snapshots : nil)
        var specs: [TransferSpec]
        do {
            if !data.isEmpty {
                specs = [try dataSpec(maker, try sources.source(data.bytes(context), in: paths.snapshots))]
            } else {
                specs = try form.isEmpty ? files(maker, &sources, context) : [formSpec(maker, &sources, context)]
            }
            if options.recordsDigest, !options.isDryRun { specs = try specs.map { try $0.withDigestOfSource() } }
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
        let addsNames = protocolOptions.kind != .tus
        let pairs = try UploadList.pairs(operands, followsLinks: followsLinks, addsNames: addsNames, context)
        return try specs(for: pairs, maker, context) { try sources.source($0.path) }
    }

    /// The specifications for some files.
    ///
    /// - Parameters:
    ///   - pairs: the files with their URLs.
    ///   - maker: applies the options.
    ///   - context: the command's context.
    ///   - source: returns the current file of a pair.
    /// - Returns: a specification for each file, in order.
    /// - Throws: `UsageError`, `CommandFailure`.
    package func specs(
        for pairs: [UploadList.Pair],
        _ maker: SpecMaker,
        _ context: CommandContext,
        _ source: (UploadList.Pair) throws -> TransferSpec.UploadSource
    ) throws -> [TransferSpec] {
        var specs: [TransferSpec] = []
        specs.reserveCapacity(pairs.count)  // checked: an array that is in memory
        let targets = pairs.map { AccountTarget($0.url) }
        try checkOptions(targets)
        // Requested before anything is copied.
        let book = try targets.contains { $0 != nil } ? AccountBook(context) : AccountBook([])
        let buckets = try Buckets(pairs, of: self, context)
        for (pair, target) in zip(pairs, targets) {
            if let target {
                let account = try book.account(target.account)
                let source = try source(pair)
                var parameters = accountOptions.parameters(target, at: account, of: source.identity)
                parameters.connections = s3Options.connections
                specs.append(try maker.make(source, parameters))
                continue
            }
            if BucketPath(pair.url) != nil {
                specs.append(try objectSpec(in: buckets, of: pair, maker, source(pair)))
                continue
            }
            var spec = try maker.make(.upload(try source(pair)), url: pair.url)
            if let other = try protocolOptions.spec(spec, of: pair) {
                spec = other
                if protocolOptions.kind == .resumable { try setIdempotencyKey(&spec) }
                specs.append(spec)
                continue
            }
            // With --any-status, the user wants the first answer.
            if spec.method == "PUT", !options.takesAnyStatus { spec.collections = pair.folders }
            if skipsExisting { spec.skipsExisting = true }
            if protocolOptions.kind == .auto { spec.offersResumption = true }
            try setIdempotencyKey(&spec)
            specs.append(spec)
        }
        return specs
    }

    /// Refuses options that another protocol controls itself.
    private func checkProtocol() throws(UsageError) {
        guard protocolOptions.definesRequests else { return }
        let isTus = protocolOptions.kind == .tus
        let refused = [
            (options.method != nil && isTus, "-X"), (!form.isEmpty, "-F"), (!data.isEmpty, "--data"),
            (idempotencyKey != nil && isTus, "--idempotency-key"), (skipsExisting, "--skip-existing"),
            (options.takesAnyStatus, "--any-status"),
        ]
        guard let option = refused.first(where: \.0)?.1 else { return }
        throw UsageError(
            "\(option) cannot be used with --protocol \(protocolOptions.kind.rawValue), which defines the requests"
        )
    }

    /// Refuses options that do not apply to the destination.
    private func checkOptions(_ targets: [AccountTarget?]) throws(UsageError) {
        if targets.contains(nil), let option = accountOptions.given.first(where: { !isAllowed($0) }) {
            throw UsageError("\(option) is for an upload to an account, such as dropbox:/folder/")
        }
        guard let target = targets.lazy.compactMap(\.self).first,
            let option = optionsOfRequests.first(where: { $0 != Self.waiting })
        else { return }
        throw UsageError(
            "\(option) cannot be used with \(target.account):\(target.path): Dropbox defines the requests, and the account authorizes them"
        )
    }

    /// The given options that describe a plain request.
    var optionsOfRequests: [String] {
        [
            (options.method != nil, "-X"), (!options.headerTexts.isEmpty, "-H"), (options.user != nil, "-u"),
            (!form.isEmpty, "-F"), (idempotencyKey != nil, "--idempotency-key"),
            (!wantsIdempotencyKey, "--no-idempotency-key"), (options.waitsForCredentials, "--wait-for-credentials"),
            (options.takesAnyStatus, "--any-status"), (!data.isEmpty, "--data"),
            (skipsExisting, "--skip-existing"), (protocolOptions.definesRequests, "--protocol"),
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

    /// Sets a key by which the server recognizes a repeated, non-idempotent request
    /// (draft-ietf-httpapi-idempotency-key).
    ///
    /// - Throws: `CommandFailure`.
    package func setIdempotencyKey(_ spec: inout TransferSpec) throws {
        guard wantsIdempotencyKey, spec.headers["Idempotency-Key"] == nil else { return }
        if let idempotencyKey {
            spec.idempotencyKey = idempotencyKey
        } else if spec.method == "POST" || spec.method == "PATCH" {
            spec.idempotencyKey = RandomKey.make()
        }
        do throws(RequestError) { try spec.validate() } catch { throw CommandFailure(error.sentence, .usage) }
    }
}
