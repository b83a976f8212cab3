// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The requests of an upload by tus 1.0, made from its specification.
struct TusRequests: Sendable {
    let endpoint: RequestURL
    let source: TransferSpec.UploadSource
    /// The owner's headers, without those that the dialect sets.
    private let headers: [HeaderField]
    /// `Upload-Metadata`; nil if there is none.
    private let metadata: String?

    static let version = "1.0.0"

    init(_ spec: TransferSpec, _ parameters: TusParameters, source: TransferSpec.UploadSource) {
        endpoint = spec.url
        self.source = source
        headers = spec.headers.filter { field in
            let name = field.name.lowercased()
            return !Self.own.contains(name) && !name.hasPrefix("upload-") && !name.hasPrefix("tus-")
        }
        let entries = parameters.metadata.map { entry in
            entry.value.isEmpty ? entry.name : "\(entry.name) \(Data(entry.value.utf8).base64EncodedString())"
        }
        // An owner who sets the header knows better.
        metadata = spec.headers["Upload-Metadata"] ?? (entries.isEmpty ? nil : entries.joined(separator: ","))
    }

    /// Includes `content-type`: an owner's describes the file, and a request's describes its own body.
    private static let own: Set<String> = [
        "content-type", "content-length", "content-encoding", "transfer-encoding", "expect", "x-http-method-override",
    ]

    func discover() -> DialectRequest { request("OPTIONS", endpoint, [], speaksVersion: false) }

    func create() -> DialectRequest {
        var fields = [HeaderField(name: "Upload-Length", value: String(source.identity.size))]
        if let metadata { fields.append(HeaderField(name: "Upload-Metadata", value: metadata)) }
        return request("POST", endpoint, fields)
    }

    func terminate(_ upload: RequestURL) -> DialectRequest { request("DELETE", upload, []) }

    func locate(_ upload: RequestURL) -> DialectRequest { request("HEAD", upload, []) }

    /// - Parameters:
    ///   - range: bytes of the source.
    ///   - upload: their destination.
    ///   - digest: the digest of the bytes, with its algorithm; nil if the server does not check it.
    ///   - overridesMethod: whether PATCH is sent as POST.
    /// - Returns: the request.
    func append(
        _ range: Range<Int64>,
        to upload: RequestURL,
        digest: (SourceDigest.Algorithm, [UInt8])?,
        overridesMethod: Bool
    ) -> DialectRequest {
        var fields = [
            HeaderField(name: "Upload-Offset", value: String(range.lowerBound)),
            HeaderField(name: "Content-Type", value: "application/offset+octet-stream"),
        ]
        if let (algorithm, bytes) = digest {
            let text = Data(bytes).base64EncodedString()
            fields.append(HeaderField(name: "Upload-Checksum", value: "\(algorithm.rawValue) \(text)"))
        }
        if overridesMethod { fields.append(HeaderField(name: "X-HTTP-Method-Override", value: "PATCH")) }
        var request = request(overridesMethod ? "POST" : "PATCH", upload, fields)
        request.body = RequestBody([.file(.init(source, offset: range.lowerBound, count: Int64(range.count)))])
        request.sourceOffset = range.lowerBound
        request.provesBody = digest != nil
        return request
    }

    private func request(
        _ method: String,
        _ url: RequestURL,
        _ fields: [HeaderField],
        speaksVersion: Bool = true
    ) -> DialectRequest {
        let isAtHome = url.hasOrigin(of: endpoint)
        // A different origin gets only harmless fields, as after a redirect.
        let owners = isAtHome ? headers : headers.filter { HarmlessHeaders.travels($0.name) }
        let version = speaksVersion ? [HeaderField(name: "Tus-Resumable", value: Self.version)] : []
        var request = DialectRequest(method: method, url: url, headers: owners + version + fields, provesBody: true)
        request.usesCredentials = isAtHome
        return request
    }
}
