// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The dialects available for uploads and downloads.
package enum Dialects {
    /// All dialects of uploads except the plain one. A new dialect needs a folder beside this file, a line here, and a
    /// run of `DialectConformance` in the tests.
    private static let all: [any UploadDialect.Type] = [
        DropboxUpload.self, TusUpload.self, ResumableUpload.self, S3Upload.self, GCSUpload.self,
    ]

    private static let ofDownloads: [any DownloadDialect.Type] = [S3Download.self]

    /// Makes the dialect of a download; nil if its requests are the owner's own.
    ///
    /// - Throws: `RequestError` for an unknown dialect, or parameters that it refuses.
    package static func download(_ spec: TransferSpec) throws(RequestError) -> (any DownloadDialect)? {
        guard !spec.isUpload, let name = spec.dialect?.name else { return nil }
        return try ofDownload(name).init(spec)
    }

    /// Makes the dialect of an upload, continuing from its stored memory.
    ///
    /// - Throws: `RequestError` for an unknown dialect, or parameters that it refuses.
    package static func make(
        _ spec: TransferSpec,
        memory: [UInt8]?,
        now: Moment
    ) throws(RequestError) -> any UploadDialect {
        guard let name = spec.dialect?.name else {
            return ResumptionOffer.isMade(by: spec) || OfferedUpload.isKept(memory, spec)
                ? try OfferedUpload(spec, memory: memory, now: now) : try PlainUpload(spec, memory: memory, now: now)
        }
        return try known(name).init(spec, memory: memory, now: now)
    }

    /// The memory of another machine's upload of the same file (`TransferSpec.keptUpload`), adapted to this machine's
    /// file.
    ///
    /// - Parameter spec: the upload, as it is handed over.
    /// - Returns: the memory; nil if it is unusable, and the upload begins anew.
    package static func adoptedMemory(_ spec: TransferSpec) -> [UInt8]? {
        guard let bytes = spec.keptUpload?.bytes, case .upload(let source) = spec.direction else { return nil }
        let dialect: (any UploadDialect.Type)? = spec.dialect.map { try? known($0.name) } ?? ResumableUpload.self
        return (dialect as? any RememberingDialect.Type)?.adopted(bytes, as: source.identity)
    }

    /// Reads which account a transfer uses; nil for none.
    ///
    /// - Throws: `RequestError` for an unknown dialect, or parameters that cannot be read.
    package static func account(of spec: TransferSpec) throws(RequestError) -> String? {
        guard let name = spec.dialect?.name else { return nil }
        return spec.isUpload ? try known(name).account(of: spec) : try ofDownload(name).account(of: spec)
    }

    /// What the server of a transfer states about its file; nil if that is no more than any server states.
    static func evidence(of spec: TransferSpec) -> (any DialectEvidence.Type)? {
        guard let name = spec.dialect?.name else { return nil }
        let dialect: Any.Type? = spec.isUpload ? try? known(name) : try? ofDownload(name)
        return (dialect as? any EvidentDialect.Type)?.evidence
    }

    /// The options that the owner of a transfer chose in addition to its destination, for display; nil for none.
    package static func options(of spec: TransferSpec) -> String? {
        guard let name = spec.dialect?.name else { return nil }
        return spec.isUpload ? try? known(name).options(of: spec) : try? ofDownload(name).options(of: spec)
    }

    /// A transfer in the form that the daemon accepts: its dialect can carry it out, and requests with a token go to
    /// the account's own endpoints.
    ///
    /// - Parameters:
    ///   - spec: the specification as its owner wrote it.
    ///   - account: the account that it uses; nil if there is no account of that name.
    ///   - now: the current time.
    /// - Returns: the specification to store.
    /// - Throws: `RequestError` that explains the problem.
    package static func settled(
        _ spec: TransferSpec,
        for account: Account?,
        now: Moment
    ) throws(RequestError) -> TransferSpec {
        guard let name = spec.dialect?.name else { return spec }
        var settled: TransferSpec
        let places: [String]
        if spec.isUpload {
            settled = try known(name).settled(spec, for: account)
            places = try make(settled, memory: nil, now: now).tokenPlaces
        } else {
            settled = try ofDownload(name).settled(spec, for: account)
            places = try download(settled)?.tokenPlaces ?? []
        }
        guard let account else { return settled }
        guard account.owns(places) else {
            let way = spec.isUpload ? "go to" : "come from"
            throw .invalidValue(
                "The file would not \(way) the account '\(account.name)', which is at \(account.server): hand it over without naming a server"
            )
        }
        settled.certificateAuthorityPath = settled.certificateAuthorityPath ?? account.certificateAuthorityPath
        if settled.proxy == .init() { settled.proxy = account.proxy }
        return settled
    }

    private static func known(_ name: String) throws(RequestError) -> any UploadDialect.Type {
        guard let dialect = all.first(where: { $0.name == name }) else { throw unknown(name) }
        return dialect
    }

    private static func ofDownload(_ name: String) throws(RequestError) -> any DownloadDialect.Type {
        guard let dialect = ofDownloads.first(where: { $0.name == name }) else {
            _ = try known(name)
            throw .invalidValue("The dialect '\(name.redactedControls)' is for uploads only, one file at a time")
        }
        return dialect
    }

    private static func unknown(_ name: String) -> RequestError {
        .invalidValue("The dialect '\(name.redactedControls)' is not known to this daemon: update it")
    }
}
