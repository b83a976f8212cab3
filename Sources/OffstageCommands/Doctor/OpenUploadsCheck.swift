// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// `offstage doctor --open-uploads`: which multipart uploads a bucket keeps open, and whose they are.
package struct OpenUploadsCheck: Sendable {
    let bucket: String
    let prefix: String
    /// The beginning of the ID of the upload to abort; nil for a list.
    let aborting: String?
    let options: S3PlaceOptions

    /// The most pages to request. A bucket may have far more uploads than a user wants to read.
    private static let mostPages = 50
    /// The fewest characters of an ID that `--abort` needs, and that a list shows.
    private static let fewestOfID = 4
    private static let shownOfID = 12
    /// In seconds. The daemon asks the server up to a few times.
    private static let patience = 100.0

    /// Returns nil without the option.
    init?(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let place = arguments.takeValue("--open-uploads")
        aborting = arguments.takeValue("--abort")
        options = try S3PlaceOptions(&arguments)
        guard let place else {
            let given = (aborting == nil ? [] : ["--abort"]) + options.given
            guard let option = given.first else { return nil }
            throw UsageError("\(option) is for --open-uploads s3://BUCKET")
        }
        guard let location = S3Location(place) else {
            throw UsageError(
                "'\(place.redactedControls)' is not a bucket: write --open-uploads s3://BUCKET or s3://BUCKET/PREFIX"
            )
        }
        (bucket, prefix) = (location.bucket, location.key)
        if let aborting, aborting.utf8.count < Self.fewestOfID || !S3UploadMarker.isID(aborting) {
            throw UsageError(
                "--abort takes the ID of an upload, or at least \(Self.fewestOfID) characters of its beginning"
            )
        }
        let empty = S3Asking(at: S3Endpoint(base: nil, region: S3Endpoint.defaultRegion))
        let request = ListOpenUploads(empty, bucket: bucket, prefix: prefix, after: nil)
        do throws(RequestError) { try request.validate() } catch {
            throw UsageError(String(error.sentence.dropLast()))
        }
    }

    func run(_ context: CommandContext) throws -> ExitStatus {
        let place = try options.place(of: "question", context)
        var asking = S3Asking(
            at: place.endpoint,
            proxy: SpecMaker.proxies(context.environment),
            certificateAuthorityPath: try CertificateFile.find(nil, context)
        )
        switch place.keys {
        case .account(let name): asking.account = name
        case .profile(let profile): asking.profile = profile
        case .google: break
        }
        let connection = try context.connect()
        let (uploads, isComplete) = try list(asking, connection, context)
        if let aborting {
            let upload = try Self.chosen(aborting, of: uploads, isComplete: isComplete)
            let location = S3Location(bucket: bucket, key: upload.key)
            let request = AbortOpenUpload(asking, location, upload: upload.id)
            _ = try connection.send(request, within: Self.patience)
            guard context.printsJSON else {
                context.output.print(
                    "The server has discarded the upload \(Self.short(upload.id)) to \(location.text) and its parts."
                )
                return .success
            }
        }
        if context.printsJSON {
            let left = uploads.filter { aborting.map($0.id.hasPrefix) != true }
            let document = Document(
                bucket: bucket,
                prefix: prefix,
                uploads: left.map(Entry.init),
                isComplete: isComplete
            )
            context.output.print(try JSONText.of(document))
        } else {
            print(uploads, isComplete, context)
        }
        return .success
    }

    private func list(
        _ asking: S3Asking,
        _ connection: DaemonConnection,
        _ context: CommandContext
    ) throws -> (uploads: [OpenUpload], isComplete: Bool) {
        var uploads: [OpenUpload] = []
        var next: S3UploadMarker?
        for _ in 0..<Self.mostPages {
            let request = ListOpenUploads(asking, bucket: bucket, prefix: prefix, after: next)
            let page = try connection.send(request, within: Self.patience)
            uploads += page.uploads
            next = page.next
            if next == nil { return (uploads, true) }
        }
        return (uploads, false)
    }

    /// The upload whose ID begins with some text.
    ///
    /// - Parameters:
    ///   - beginning: the beginning of the ID, or all of it.
    ///   - uploads: the listed uploads.
    ///   - isComplete: whether these are all uploads; otherwise only a whole ID matches.
    /// - Returns: the matching upload.
    /// - Throws: `CommandFailure` if none or several match.
    package static func chosen(
        _ beginning: String,
        of uploads: [OpenUpload],
        isComplete: Bool = true
    ) throws(CommandFailure) -> OpenUpload {
        let whole = uploads.filter { $0.id == beginning }
        guard isComplete || !whole.isEmpty else {
            throw CommandFailure(
                "There are more open uploads than are listed, and others may have IDs that begin the same way: give the whole ID, or a prefix of their keys."
            )
        }
        let found = whole.isEmpty ? uploads.filter { $0.id.hasPrefix(beginning) } : whole
        guard let upload = found.first else {
            throw CommandFailure(
                "No open upload has an ID that begins with '\(beginning)': list them without --abort.",
                .notFound
            )
        }
        guard found.count == 1 else {
            throw CommandFailure(
                "\(found.count) open uploads have IDs that begin with '\(beginning)': give more of the ID."
            )
        }
        return upload
    }

    private func print(_ uploads: [OpenUpload], _ isComplete: Bool, _ context: CommandContext) {
        let output = context.output
        let place = S3Location(bucket: bucket, key: prefix).text
        guard !uploads.isEmpty else {
            output.print("No upload is left open in \(place).")
            return
        }
        var table = TextTable([.init("KEY", isFlexible: true), .init("BEGUN"), .init("UPLOAD"), .init("USED BY")])
        let beginnings = Dictionary(grouping: uploads) { $0.id.prefix(Self.shownOfID) }
        table.rows = uploads.map { upload in
            // The shortest prefix that distinguishes it from the other uploads.
            let isAlone = beginnings[upload.id.prefix(Self.shownOfID)]?.count == 1
            return [
                .init(upload.key.redactedControls),
                .init(upload.begun.map { Format.time($0, now: context.now()) } ?? "?"),
                .init(isAlone ? Self.short(upload.id) : upload.id), .init(Self.user(of: upload)),
            ]
        }
        for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
        let free = uploads.count { $0.transfer == nil }
        let rest = isComplete ? "" : " The server has more."
        output.print("\(Format.count(uploads.count, "open upload")), \(free) not used by a transfer here.\(rest)")
        if free > 0 {
            output.print(
                "Other programs may still use those. Add '--abort ID' to this command to have the server discard one and its parts."
            )
        }
    }

    private static func user(of upload: OpenUpload) -> String {
        upload.transfer.map { upload.isCertain ? "transfer \($0)" : "perhaps transfer \($0)" } ?? "-"
    }

    private static func short(_ id: String) -> String {
        String(id.prefix(shownOfID)) + (id.count > shownOfID ? "…" : "")
    }

    struct Document: Encodable {
        let bucket: String
        let prefix: String
        let uploads: [Entry]
        let isComplete: Bool
    }

    struct Entry: Encodable {
        let key: String
        let id: String
        let begun: Date?
        let transfer: Int64?
        let isCertain: Bool

        init(_ upload: OpenUpload) {
            key = upload.key
            id = upload.id
            begun = upload.begun
            transfer = upload.transfer?.rawValue
            isCertain = upload.isCertain
        }
    }
}
