// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The requests of an upload to Google Cloud Storage, made from its specification
/// (https://cloud.google.com/storage/docs/performing-resumable-uploads).
struct GCSRequests: Sendable {
    let parameters: GCSParameters
    let source: TransferSpec.UploadSource
    /// The object's own URL.
    let object: RequestURL
    /// The URL at which uploads begin.
    let beginning: RequestURL
    private let resource: RequestURL
    /// The owner's header fields that describe the object.
    private let headers: [HeaderField]

    /// - Throws: `RequestError` for parameters that do not form a URL.
    init(_ parameters: GCSParameters, _ spec: TransferSpec, source: TransferSpec.UploadSource) throws(RequestError) {
        self.parameters = parameters
        self.source = source
        object = try parameters.url()
        headers = spec.headers.filter { GCSParameters.keepsHeader($0.name) }
        let bucket = PercentEncoding.encoded(parameters.location.bucket)
        let name = PercentEncoding.encoded(parameters.location.object)
        let condition = parameters.leavesExisting ? "&ifGenerationMatch=0" : ""
        beginning = try RequestURL(
            "\(parameters.base)/upload/storage/v1/b/\(bucket)/o?uploadType=resumable&name=\(name)\(condition)"
        )
        resource = try RequestURL("\(parameters.base)/storage/v1/b/\(bucket)/o/\(name)")
    }

    /// The metadata that is kept with the object.
    private struct Metadata: Encodable {
        var contentType: String?
        var cacheControl: String?
        var contentDisposition: String?
        var contentEncoding: String?
        var contentLanguage: String?
        var storageClass: String?
        var metadata: [String: String]
    }

    func begin(_ token: String) -> DialectRequest {
        var named = [GCSParameters.markerName: parameters.marker]
        for entry in parameters.metadata { named[entry.name] = entry.value }
        let metadata = Metadata(
            contentType: headers["Content-Type"],
            cacheControl: headers["Cache-Control"],
            contentDisposition: headers["Content-Disposition"],
            contentEncoding: headers["Content-Encoding"],
            contentLanguage: headers["Content-Language"],
            storageClass: parameters.storageClass,
            metadata: named
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(metadata)).map(Array.init) ?? []
        var fields = [
            HeaderField(name: "Content-Type", value: "application/json; charset=UTF-8"),
            HeaderField(name: "X-Upload-Content-Length", value: String(source.identity.size)),
        ]
        if let type = headers["Content-Type"] {
            fields.append(HeaderField(name: "X-Upload-Content-Type", value: type))
        }
        var request = authorized("POST", beginning, token, fields)
        request.body = RequestBody([.bytes(json)])
        return request
    }

    func ask(_ upload: RequestURL) -> DialectRequest {
        request("PUT", upload, [HeaderField(name: "Content-Range", value: "bytes */\(source.identity.size)")])
    }

    /// - Parameters:
    ///   - range: bytes of the file; not empty.
    ///   - upload: the upload's URL.
    ///   - checksum: the checksum of the whole file, sent with its last bytes: the server refuses to make an object of
    ///     any other content.
    /// - Returns: the request.
    func append(_ range: Range<Int64>, to upload: RequestURL, checksum: CRC32C) -> DialectRequest {
        let size = source.identity.size
        // checked: the range is not empty
        let bytes = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        var fields = [HeaderField(name: "Content-Range", value: bytes)]
        if range.upperBound >= size {
            let text = Data(checksum.bytes).base64EncodedString()
            fields.append(HeaderField(name: "X-Goog-Hash", value: "crc32c=\(text)"))
        }
        var request = request("PUT", upload, fields)
        request.body = RequestBody([.file(.init(source, offset: range.lowerBound, count: Int64(range.count)))])
        request.sourceOffset = range.lowerBound
        return request
    }

    func cancel(_ upload: RequestURL) -> DialectRequest { request("DELETE", upload, []) }

    func look(_ token: String) -> DialectRequest { authorized("GET", resource, token, []) }

    func remove(_ generation: Int64, _ token: String) -> DialectRequest {
        let url = (try? RequestURL("\(resource.unredacted)?generation=\(generation)")) ?? resource
        return authorized("DELETE", url, token, [])
    }

    private func authorized(
        _ method: String,
        _ url: RequestURL,
        _ token: String,
        _ fields: [HeaderField]
    ) -> DialectRequest {
        let payer = headers["x-goog-user-project"].map { [HeaderField(name: "x-goog-user-project", value: $0)] } ?? []
        let bearer = HeaderField(name: "Authorization", value: "Bearer \(token)")
        return request(method, url, [bearer] + payer + fields)
    }

    private func request(_ method: String, _ url: RequestURL, _ fields: [HeaderField]) -> DialectRequest {
        // The checksum of the whole file is compared at the end.
        var request = DialectRequest(method: method, url: url, headers: fields, provesBody: true)
        request.usesCredentials = url.hasOrigin(of: object)
        return request
    }
}
