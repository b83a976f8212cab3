// SPDX-License-Identifier: Apache-2.0
import CCrypto
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension UploadCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        guard let fleet else {
            throw CommandFailure("This program carries out commands for a fleet alone: add --fleet.")
        }
        return try FleetUpload(self, fleet, context).run()
    }
}

/// Submits the files of one command line, or of a list, as rows of the fleet.
struct FleetUpload {
    /// Lines of a list that are processed together.
    private static let linesAtOnce = 5000

    private let command: UploadCommand
    private let options: FleetUploadOptions
    private let context: FleetContext
    private let maker: SpecMaker
    private let sealing: FleetSealing

    init(_ command: UploadCommand, _ options: FleetUploadOptions, _ context: FleetContext) throws {
        try Self.refuseFiles(command.options)
        self.command = command
        self.options = options
        self.context = context
        maker = try SpecMaker(command.options, context.command)
        sealing = FleetSealing()
    }

    /// Refuses options that name files of this machine. A member opens no file for a row except the one to send.
    private static func refuseFiles(_ options: TransferOptions) throws(UsageError) {
        let curl = options.curl
        let (password, certificate) = (
            "give user and password with --user, which are sealed",
            "send the file without --fleet, from the machine that has the certificate"
        )
        let refused = [
            (curl.netrc != nil, "--netrc-file", password), (curl.usesNetrc, "--netrc", password),
            (curl.certificate != nil, "--cert", certificate), (curl.key != nil, "--key", certificate),
            (options.certificateAuthority != nil, "--cacert", "have the members' systems trust the authority"),
        ]
        guard let (_, option, advice) = refused.first(where: \.0) else { return }
        throw UsageError("\(option) cannot be used with --fleet, as a member reads no other file: \(advice)")
    }

    func run() throws -> ExitStatus {
        let isRehearsal = command.options.isDryRun
        let submission = isRehearsal ? nil : try FleetSubmission(context.open)
        var rehearsed: [TransferSpec] = []
        do {
            try eachPart { entries in
                let specs = try specs(entries)
                guard let submission else { return rehearsed += specs }
                let place = try context.place()
                for (entry, spec) in zip(entries, specs) {
                    let row = try row(spec, entry) {
                        try sealing.seal($0, place, submission.connection)
                    }
                    try submission.add(row)
                }
            }
            try submission?.finish()
        } catch {
            if let result = submission?.result { reportBeforeFailure(result) }
            throw error
        }
        if let submission { try report(submission.result) } else { try rehearse(rehearsed) }
        return .success
    }

    /// Reports the rows submitted before the one that failed.
    private func reportBeforeFailure(_ result: FleetSubmission.Result) {
        if result.rows > 0, let first = result.first {
            context.output.complain("offstage: \(result.rows) rows were submitted before this, the first is \(first).")
        }
        if result.doubtful > 0 {
            context.output.complain(
                "offstage: Of \(Format.count(result.doubtful, "more row")) it is not known whether they are in the fleet: look with "
                    + "'offstage fleet list'; with --once the same list can be sent again."
            )
        }
    }

    /// A file to submit, named by the command line or by a line of the list.
    struct Entry {
        var pair: UploadList.Pair
        var line: FleetLine?
        /// Its line in the list; nil for a file from the command line.
        var number: Int?

        /// The sentence, with the line that it is about.
        func located(_ sentence: String) -> String {
            number.map { "line \($0) of standard input: \(sentence)" } ?? sentence
        }
    }

    /// Calls `body` with each part of the files, in order.
    private func eachPart(_ body: ([Entry]) throws -> Void) throws {
        let addsNames = command.protocolOptions.kind != .tus
        guard command.operands.dropLast(command.operands.count > 1 ? 1 : 0).contains("-") else {
            let pairs = try UploadList.pairs(
                command.operands,
                followsLinks: command.followsLinks,
                addsNames: addsNames,
                context.command
            )
            for part in pairs.parts(of: Self.linesAtOnce) { try body(part.map { Entry(pair: $0) }) }
            return
        }
        guard command.operands.count <= 2 else {
            throw UsageError("with --fleet a list on standard input stands alone: name no other file")
        }
        let bytes = try context.command.readInput()
        var (rest, number, usesOfPlainURL, isEmpty) = (bytes[...], 0, 0, true)
        while !rest.isEmpty {
            let part = Self.consumeLines(&rest)
            var entries: [Entry] = []
            for entry in try InputLines.parse(Array(part.bytes), after: number) {
                entries += try self.entries(entry, addsNames: addsNames, &usesOfPlainURL)
            }
            number += part.lines  // checked: lines that are in memory
            guard !entries.isEmpty else { continue }
            isEmpty = false
            try body(entries)
        }
        if isEmpty { throw UsageError("standard input names no file") }
    }

    private static func consumeLines(_ rest: inout ArraySlice<UInt8>) -> (bytes: ArraySlice<UInt8>, lines: Int) {
        var (end, lines) = (rest.startIndex, 0)
        while lines < linesAtOnce, let next = rest[end...].firstIndex(of: UInt8(ascii: "\n")) {
            end = next + 1  // checked: an index of the bytes
            lines += 1  // checked: below the limit
        }
        if lines < linesAtOnce { end = rest.endIndex }
        defer { rest = rest[end...] }
        return (rest[..<end], lines)
    }

    /// The files that one line names: a single file, or all files of a directory.
    private func entries(_ entry: InputLines.Entry, addsNames: Bool, _ usesOfPlainURL: inout Int) throws -> [Entry] {
        var (name, second, line): (String, String?, FleetLine?) = (entry.first, entry.second, nil)
        if name.hasPrefix("{") {
            let whole = try FleetLine(name + (second.map { "\t\($0)" } ?? ""), number: entry.number)
            (name, second, line) = (whole.path, whole.url, whole)
        }
        guard let url = second ?? (command.operands.count > 1 ? command.operands.last : nil) else {
            throw UsageError(
                "line \(entry.number) of standard input names no URL, and neither does the command line"
            )
        }
        if addsNames, second == nil, !UploadTarget.isFolder(url) {
            usesOfPlainURL += 1  // checked: lines that are in memory
            guard usesOfPlainURL < 2 else {
                throw UsageError("several files cannot be sent to one URL; end it with / to add their names")
            }
        }
        if line?.bytes != nil {
            // This machine has no access to the file.
            let path = try context.command.absolute(name)
            let isFolder = addsNames && UploadTarget.isFolder(url)
            let whole = isFolder ? UploadTarget.appending(path.pathParts.last ?? "", to: url) : url
            let pair = UploadList.Pair(path: path, url: whole, folders: isFolder ? 1 : nil)
            return [Entry(pair: pair, line: line, number: entry.number)]
        }
        let pairs = try UploadList.expanded(name, url, command.followsLinks, addsNames, context.command)
        guard pairs.count < 2 || line?.key == nil else {
            throw UsageError("line \(entry.number) of standard input gives one key to the files of a directory")
        }
        return pairs.map { Entry(pair: $0, line: line, number: entry.number) }
    }

    private func specs(_ entries: [Entry]) throws -> [TransferSpec] {
        var next = 0
        let specs = try command.specs(for: entries.map(\.pair), maker, context.command) { pair in
            defer { next += 1 }  // checked: below the number of entries
            let line = entries[next].line
            guard let bytes = line?.bytes, let modified = line?.modifiedNs else {
                return .init(path: pair.path, identity: try SourceFile.identity(pair.path))
            }
            return .init(path: pair.path, identity: .init(device: 0, inode: 0, size: bytes, modified: modified))
        }
        return try zip(specs, entries).map { spec, entry in
            do {
                return try adapted(spec, entry)
            } catch let failure as CommandFailure {
                throw CommandFailure(entry.located(failure.sentences.joined(separator: " ")), failure.status)
            } catch let error as UsageError {
                throw UsageError(entry.located(error.message))
            }
        }
    }

    /// The specification, adapted for a member.
    private func adapted(_ spec: TransferSpec, _ entry: Entry) throws -> TransferSpec {
        let line = entry.line
        var spec = spec
        if let method = line?.method {
            spec.method = method
            if method != "PUT" { (spec.collections, spec.skipsExisting) = (nil, nil) }
        }
        for (name, value) in (line?.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
            spec.headers.removeAll { $0.name.caseInsensitiveEquals(name) }
            spec.headers.append(HeaderField(name: name, value: value))
        }
        // tus sends no idempotency key.
        if spec.dialect?.name != TusParameters.dialect { try command.setIdempotencyKey(&spec) }
        spec.label = line?.label ?? spec.label
        spec.priority = line?.priority ?? spec.priority
        if let begin = line?.begin {
            spec.earliestBegin = try PointInTime.option(begin, now: context.command.now())
        }
        // The member's environment differs from this machine's.
        spec.proxy = command.options.curl.proxies(ProxyEnvironment())
        spec.certificateAuthorityPath = nil
        do throws(RequestError) {
            try spec.validate()
            try FleetTrust(lendingWhatItNames: spec).check(spec)
            guard spec.label?.utf8.count ?? 0 <= FleetLine.longestLabel else {
                throw RequestError.invalidValue("A label of a fleet's row has at most \(FleetLine.longestLabel) bytes")
            }
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        return spec
    }

    private func row(
        _ spec: TransferSpec,
        _ entry: Entry,
        _ seal: (FleetSpec) throws -> [UInt8]?
    ) throws -> SubmittedRow {
        let parted: FleetSpec
        do {
            parted = try FleetSpec(spec)
        } catch let error as RequestError {
            throw CommandFailure(entry.located(error.sentence), .usage)
        }
        var row = SubmittedRow(spec, parted)
        row.queue = entry.line?.queue ?? options.queue
        row.labels = entry.line?.on.flatMap { FleetLabels($0, most: FleetLabels.mostOfRow) } ?? options.labels
        row.key = entry.line?.key ?? options.once.map { Self.key($0, row.path, row.destination) }
        row.sealed = try seal(parted)
        return row
    }

    /// A stable key for a file and its destination, which does not depend on the signature in a URL.
    static func key(_ name: String, _ path: String, _ destination: String) -> String {
        let bytes = Array("\(path)\0\(destination)".utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return "\(name):\(FleetBytes.text(Array(digest.prefix(16))).dropFirst(2))"
    }

    private func report(_ result: FleetSubmission.Result) throws {
        let output = context.output
        if context.command.printsJSON {
            let document = Document(ids: result.ids, rows: result.rows, known: result.known, first: result.first)
            return output.print(try JSONText.of(document))
        }
        if command.options.detaches { return output.write(result.ids.map { "\($0)\n" }.joined()) }
        guard !command.options.isQuiet else { return }
        let isOne = result.rows == 1
        var text = "\(result.rows) row\(isOne ? "" : "s") submitted"
        if result.known == 0, !result.ids.isEmpty, result.ids.count <= 1000 {
            text += ": \(Submission.spans(result.ids.map { TransferID(rawValue: $0) }))"
        } else if let first = result.first {
            text += ", the first is \(first)"
        }
        if result.known > 0 { text += "; \(result.known) \(result.known == 1 ? "was" : "were") there before" }
        output.print(text + ".")
    }

    /// In `--json` output (docs/json.md).
    struct Document: Encodable {
        let ids: [Int64]
        let rows: Int64
        let known: Int64
        /// Left out if no row was submitted.
        let first: Int64?
    }

    private func rehearse(_ specs: [TransferSpec]) throws {
        let rehearsal = Rehearsal(specs, now: context.command.now())
        if context.command.printsJSON { return context.output.print(try JSONText.of(rehearsal.document)) }
        for line in rehearsal.lines { context.output.print(line) }
    }
}
