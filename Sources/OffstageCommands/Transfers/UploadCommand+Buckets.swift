// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// Uploads to `s3://…` and `gs://…`.
extension UploadCommand {
    /// The destination and authorization of one command's objects, which all go to one service.
    enum Buckets {
        case none
        case s3(S3Place)
        case gcs(GCSPlace)

        /// - Throws: `UsageError` for options that do not apply, `CommandFailure` if there is no authorization.
        init(_ pairs: [UploadList.Pair], of command: UploadCommand, _ context: CommandContext) throws {
            let paths = pairs.map { BucketPath($0.url) }
            guard let scheme = paths.lazy.compactMap(\.self).first?.scheme else {
                try command.checkNoOptionsOfBuckets(areAccounts: pairs.allSatisfy { AccountTarget($0.url) != nil })
                self = .none
                return
            }
            guard paths.allSatisfy({ $0?.scheme == scheme }) else {
                throw UsageError("hand over files for \(scheme) and files for other places separately")
            }
            try command.checkOptions(ofBucketsAt: scheme)
            switch scheme {
            case GCSLocation.scheme:
                self = .gcs(try command.gcsOptions.place(context, endpoint: command.s3Options.place.endpoint))
            default:
                self = .s3(
                    try command.s3Options.place.place(
                        of: "upload",
                        isRehearsal: command.options.isDryRun,
                        waits: command.options.waitsForCredentials,
                        context
                    )
                )
            }
        }
    }

    /// Whether an option of uploads to accounts also applies to the destination: in a bucket, too, `--mode` determines
    /// what happens to an existing object.
    func isAllowed(_ option: String) -> Bool {
        option == "--mode" && (operands.last.map { BucketPath($0) != nil } ?? false)
    }

    /// The option with which an upload may wait for a missing account.
    static let waiting = "--wait-for-credentials"

    /// Refuses options that do not apply to objects.
    private func checkOptions(ofBucketsAt scheme: String) throws(UsageError) {
        if let option = optionsOfRequests.first(where: {
            $0 != "-H" && ($0 != Self.waiting || scheme == GCSLocation.scheme)
        }) {
            throw UsageError("\(option) cannot be used with \(scheme), whose protocol defines the requests")
        }
        if case .update = accountOptions.mode {
            throw UsageError("--mode update= is for Dropbox: with \(scheme) use add or overwrite")
        }
        let isGCS = scheme == GCSLocation.scheme
        let ofBoth = ["--endpoint-url", "--storage-class"]
        let others = isGCS ? s3Options.given.filter { !ofBoth.contains($0) } : gcsOptions.given
        if let option = others.first {
            throw UsageError("\(option) is for an upload to \(isGCS ? "s3://BUCKET/KEY" : "gs://BUCKET/OBJECT")")
        }
        for text in options.headerTexts where !text.hasPrefix("@") {
            let name = String(text.prefix { $0 != ":" && $0 != ";" })
            guard isGCS ? GCSParameters.keepsHeader(name) : S3Parameters.keepsHeader(name) else {
                throw UsageError(
                    "-H '\(name.redactedControls)' cannot be sent to \(scheme), which accepts only headers that describe an object, such as Content-Type or Cache-Control; \(isGCS ? "docs/gcs.md" : "docs/s3.md") lists them"
                )
            }
        }
    }

    /// Refuses options that only apply to objects, except for one that also applies to accounts.
    private func checkNoOptionsOfBuckets(areAccounts: Bool) throws(UsageError) {
        let given = protocolOptions.kind == .tus || protocolOptions.metadata.isEmpty ? [] : ["--metadata"]
        if let option = gcsOptions.given.first {
            throw UsageError("\(option) is for an upload to gs://BUCKET/OBJECT")
        }
        let ofObjects = s3Options.given.filter { !areAccounts || $0 != "--connections" }
        guard let option = (ofObjects + given).first else { return }
        switch option {
        case "--metadata":
            throw UsageError("--metadata is for uploads by tus, to s3:// or to gs://: add --protocol tus")
        case "--connections":
            throw UsageError(
                "--connections is for an upload to s3://BUCKET/KEY or to an account, such as dropbox:/folder/"
            )
        default: throw UsageError("\(option) is for an upload to s3://BUCKET/KEY")
        }
    }

    /// The upload of a file to an object.
    func objectSpec(
        in buckets: Buckets,
        of pair: UploadList.Pair,
        _ maker: SpecMaker,
        _ source: TransferSpec.UploadSource
    ) throws -> TransferSpec {
        let dialect: DialectSpec
        let url: RequestURL
        let key: String
        do throws(RequestError) {
            if case .gcs(let place) = buckets, let location = GCSLocation(pair.url) {
                let parameters = parameters(location, at: place)
                (dialect, url, key) = (try parameters.dialectSpec(), try parameters.url(), location.object)
            } else if case .s3(let place) = buckets, let location = S3Location(pair.url) {
                let parameters = s3Options.parameters(
                    location,
                    at: place,
                    metadata: protocolOptions.metadata,
                    leavesExisting: leavesExisting
                )
                (dialect, url, key) = (try parameters.dialectSpec(), try parameters.url(), location.key)
            } else {
                throw .invalidValue("'\(pair.url.redactedControls)' is not the address of an object")
            }
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        var spec = try maker.make(.upload(source), url: url)
        spec.method = "PUT"
        spec.dialect = dialect
        if spec.headers["Content-Type"] == nil {
            let type = GuessedContentType.ofFile(named: key, at: pair.path)
            spec.headers.append(HeaderField(name: "Content-Type", value: type))
        }
        return spec
    }

    private var leavesExisting: Bool { accountOptions.given.contains("--mode") && accountOptions.mode == .add }

    private func parameters(_ location: GCSLocation, at place: GCSPlace) -> GCSParameters {
        var parameters = GCSParameters(
            location,
            at: place.endpoint,
            by: place.identity,
            marker: RandomKey.marker()
        )
        parameters.storageClass = s3Options.storageClass
        parameters.metadata = protocolOptions.metadata
        parameters.leavesExisting = leavesExisting
        return parameters
    }
}
