// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// Uploads to `s3://…`.
extension UploadCommand {
    /// Whether an option of uploads to accounts may be given for the destination: `--mode` says at S3, too, what becomes of
    /// an object that is there already.
    func isAllowed(_ option: String) -> Bool {
        option == "--mode" && (operands.last.map { S3Location($0) != nil } ?? false)
    }

    /// Refuses options that do not apply to objects.
    func checkOptionsOfS3(_ pairs: [UploadList.Pair]) throws(UsageError) {
        guard pairs.allSatisfy({ S3Location($0.url) != nil }) else {
            throw UsageError("files for s3:// and for other places are handed over by themselves")
        }
        if let option = optionsOfRequests.first(where: { $0 != "-H" }) {
            throw UsageError("\(option) cannot be used with s3://, whose protocol defines the requests")
        }
        if case .update = accountOptions.mode {
            throw UsageError("--mode update= is for Dropbox: with s3:// use add or overwrite")
        }
        for text in options.headerTexts where !text.hasPrefix("@") {
            let name = String(text.prefix { $0 != ":" && $0 != ";" })
            guard S3Parameters.keepsHeader(name) else {
                throw UsageError(
                    "-H '\(name.redactedControls)' cannot be sent to s3://, which keeps what describes an object, such as Content-Type, Cache-Control or x-amz-acl; docs/s3.md lists all"
                )
            }
        }
    }

    /// Refuses options that only apply to objects.
    func checkNoOptionsOfS3() throws(UsageError) {
        let given = protocolOptions.kind == .tus || protocolOptions.metadata.isEmpty ? [] : ["--metadata"]
        guard let option = (s3Options.given + given).first else { return }
        throw UsageError(
            option == "--metadata"
                ? "--metadata is for uploads by tus or to s3://: add --protocol tus"
                : "\(option) is for an upload to s3://BUCKET/KEY"
        )
    }

    /// The upload of a file to an object.
    func objectSpec(
        _ location: S3Location,
        at place: S3Place,
        of pair: UploadList.Pair,
        _ maker: SpecMaker,
        _ source: TransferSpec.UploadSource
    ) throws -> TransferSpec {
        let parameters = s3Options.parameters(
            location,
            at: place,
            metadata: protocolOptions.metadata,
            leavesExisting: accountOptions.given.contains("--mode") && accountOptions.mode == .add
        )
        let dialect: DialectSpec
        let url: RequestURL
        do throws(RequestError) {
            dialect = try parameters.dialectSpec()
            url = try parameters.url()
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        var spec = try maker.make(.upload(source), url: url)
        spec.method = "PUT"
        spec.dialect = dialect
        if spec.headers["Content-Type"] == nil {
            let type = GuessedContentType.ofFile(named: location.key, at: pair.path)
            spec.headers.append(HeaderField(name: "Content-Type", value: type))
        }
        return spec
    }
}
