// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The requests of an upload by the IETF's protocol, made from its specification.
struct ResumableRequests: Sendable {
    let target: RequestURL
    let source: TransferSpec.UploadSource
    private let method: String
    /// The owner's headers, without those that the dialect sets.
    private let headers: [HeaderField]

    init(_ spec: TransferSpec, source: TransferSpec.UploadSource) {
        target = spec.url
        method = spec.method
        self.source = source
        var headers = spec.headers.filter { field in
            let name = field.name.lowercased()
            return !Self.own.contains(name) && !name.hasPrefix("upload-")
        }
        if let key = spec.idempotencyKey { headers.append(HeaderField(name: "Idempotency-Key", value: key)) }
        self.headers = headers
    }

    private static let own: Set<String> = ["content-length", "transfer-encoding", "expect"]
    /// Fields that describe the whole file or the owner's request, but not an append.
    private static let ofCreation: Set<String> = [
        "content-type", "content-encoding", "content-language", "content-location", "content-disposition",
        "content-digest",
        "repr-digest", "digest", "content-md5", "idempotency-key", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since",
    ]

    func create(_ version: ResumableVersion) -> DialectRequest {
        var request = request(method, target, headers, version, [version.completeness(true)])
        request.body = RequestBody(source)
        request.sourceOffset = 0
        request.provesBody = false
        request.hearsInterim = true
        return request
    }

    /// The fields that offer resumption in the request of a whole upload.
    static func offer(_ version: ResumableVersion) -> [HeaderField] {
        [HeaderField(name: ResumableVersion.header, value: String(version.number)), version.completeness(true)]
    }

    func reserve(_ version: ResumableVersion) -> DialectRequest {
        let length = HeaderField(name: "Upload-Length", value: String(source.identity.size))
        return request(method, target, headers, version, [version.completeness(false), length])
    }

    func locate(_ upload: RequestURL, _ version: ResumableVersion) -> DialectRequest {
        request("HEAD", upload, ownersHeaders(at: upload), version, [])
    }

    func append(_ range: Range<Int64>, to upload: RequestURL, _ version: ResumableVersion) -> DialectRequest {
        let isLast = range.upperBound >= source.identity.size
        var request = request(
            "PATCH",
            upload,
            ownersHeaders(at: upload),
            version,
            [
                version.completeness(isLast),
                HeaderField(name: "Upload-Offset", value: String(range.lowerBound)),
                HeaderField(name: "Content-Type", value: version.appendType),
            ]
        )
        request.body = RequestBody([.file(.init(source, offset: range.lowerBound, count: Int64(range.count)))])
        request.sourceOffset = range.lowerBound
        request.provesBody = false
        request.hearsInterim = true
        return request
    }

    func cancel(_ upload: RequestURL, _ version: ResumableVersion) -> DialectRequest {
        request("DELETE", upload, ownersHeaders(at: upload), version, [])
    }

    /// The owner's headers for a request about the upload. Another origin than the target's gets only harmless ones, as
    /// after a redirect.
    private func ownersHeaders(at upload: RequestURL) -> [HeaderField] {
        let isAtHome = upload.hasOrigin(of: target)
        return headers.filter { field in
            !Self.ofCreation.contains(field.name.lowercased()) && (isAtHome || HarmlessHeaders.travels(field.name))
        }
    }

    private func request(
        _ method: String,
        _ url: RequestURL,
        _ owners: [HeaderField],
        _ version: ResumableVersion,
        _ fields: [HeaderField]
    ) -> DialectRequest {
        let interop = HeaderField(name: ResumableVersion.header, value: String(version.number))
        var request = DialectRequest(method: method, url: url, headers: owners + [interop] + fields, provesBody: true)
        request.usesCredentials = url.hasOrigin(of: target)
        return request
    }
}
