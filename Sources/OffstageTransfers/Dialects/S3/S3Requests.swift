// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The requests of an upload to S3, made from its specification and signed.
struct S3Requests: Sendable {
    let parameters: S3Parameters
    let source: TransferSpec.UploadSource
    /// The owner's header fields that describe the object.
    private let headers: [HeaderField]
    private let ownURL: RequestURL

    /// The key, the region and the time that requests are signed with.
    struct Signing: Sendable {
        var key: AccessKey
        var region: String
        var time: Date
    }

    /// - Throws: `RequestError` for parameters that do not form a URL.
    init(_ parameters: S3Parameters, _ spec: TransferSpec, source: TransferSpec.UploadSource) throws(RequestError) {
        self.parameters = parameters
        self.source = source
        ownURL = try parameters.url()
        headers = spec.headers.filter { S3Parameters.keepsHeader($0.name) }
    }

    /// The object's URL in a region, without a query.
    func url(in region: String) -> RequestURL {
        guard region != parameters.endpoint.region else { return ownURL }
        return (try? parameters.endpoint.url(of: parameters.location, in: region)) ?? ownURL
    }

    // MARK: - One request

    /// `digest` is the SHA-256 of the file.
    func put(_ digest: [UInt8], _ signing: Signing) -> DialectRequest {
        var fields = object + condition
        if parameters.usesChecksums { fields.append(checksum(digest)) }
        return send("PUT", [], fields, 0..<source.identity.size, digest, signing)
    }

    func head(_ signing: Signing) -> DialectRequest { request("HEAD", [], [], [], signing) }

    // MARK: - In parts

    func create(_ signing: Signing) -> DialectRequest {
        var fields = object
        if parameters.usesChecksums {
            fields.append(HeaderField(name: "x-amz-checksum-algorithm", value: "SHA256"))
        }
        return request("POST", [("uploads", "")], fields, [], signing)
    }

    /// How many parts a page of a list contains: an answer is kept only up to `Answer.bodyStartLimit`.
    static let partsOfPage = 100

    func list(_ upload: String, after part: Int, _ signing: Signing) -> DialectRequest {
        let query = [
            ("max-parts", String(Self.partsOfPage)), ("part-number-marker", String(part)), ("uploadId", upload),
        ]
        return request("GET", query, [], [], signing)
    }

    /// - Parameters:
    ///   - number: the part's; the first is 1.
    ///   - range: its bytes of the source.
    ///   - digest: the SHA-256 of these bytes.
    ///   - upload: the upload's ID.
    ///   - signing: who signs.
    /// - Returns: the request.
    func part(
        _ number: Int,
        _ range: Range<Int64>,
        _ digest: [UInt8],
        of upload: String,
        _ signing: Signing
    ) -> DialectRequest {
        let query = [("partNumber", String(number)), ("uploadId", upload)]
        let fields = parameters.usesChecksums ? [checksum(digest)] : []
        return send("PUT", query, fields, range, digest, signing)
    }

    /// - Parameters:
    ///   - upload: the upload's ID.
    ///   - parts: all of them, in order.
    ///   - signing: who signs.
    /// - Returns: the request.
    func complete(_ upload: String, _ parts: [StoredParts.Part], _ signing: Signing) -> DialectRequest {
        var text = #"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#
        for (index, part) in parts.enumerated() {
            // checked: an index of an array
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(XMLText.escaped(part.tag))</ETag>"
            if parameters.usesChecksums, let checksum = part.checksum {
                text += "<ChecksumSHA256>\(XMLText.escaped(checksum))</ChecksumSHA256>"
            }
            text += "</Part>"
        }
        text += "</CompleteMultipartUpload>"
        let fields = [HeaderField(name: "Content-Type", value: "application/xml")] + condition
        var request = request("POST", [("uploadId", upload)], fields, Array(text.utf8), signing)
        // Contains no bytes of the file, but causes another check of it before the parts become an object.
        request.body.segments.append(.file(.init(source, offset: source.identity.size, count: 0)))
        return request
    }

    func abort(_ upload: String, _ signing: Signing) -> DialectRequest {
        request("DELETE", [("uploadId", upload)], [], [], signing)
    }

    // MARK: - Parts of requests

    /// The header fields that are kept with the object.
    private var object: [HeaderField] {
        var fields = headers
        fields.append(HeaderField(name: S3Parameters.markerField, value: parameters.marker))
        for entry in parameters.metadata {
            fields.append(HeaderField(name: "x-amz-meta-\(entry.name.lowercased())", value: entry.value))
        }
        if let storageClass = parameters.storageClass {
            fields.append(HeaderField(name: "x-amz-storage-class", value: storageClass))
        }
        return fields
    }

    private var condition: [HeaderField] {
        parameters.leavesExisting ? [HeaderField(name: "If-None-Match", value: "*")] : []
    }

    private func checksum(_ digest: [UInt8]) -> HeaderField {
        HeaderField(name: S3Parameters.checksumField, value: Data(digest).base64EncodedString())
    }

    /// A request with bytes of the file.
    private func send(
        _ method: String,
        _ query: [(String, String)],
        _ fields: [HeaderField],
        _ range: Range<Int64>,
        _ digest: [UInt8],
        _ signing: Signing
    ) -> DialectRequest {
        var request = unsigned(method, query, fields, signing)
        request.sign(bodyHash: Hexadecimal.text(digest), signing)
        request.body = RequestBody([.file(.init(source, offset: range.lowerBound, count: Int64(range.count)))])
        request.sourceOffset = range.lowerBound
        // The signature holds the body's digest, which the server compares.
        request.provesBody = true
        return request
    }

    private func request(
        _ method: String,
        _ query: [(String, String)],
        _ fields: [HeaderField],
        _ body: [UInt8],
        _ signing: Signing
    ) -> DialectRequest {
        var request = unsigned(method, query, fields, signing)
        let hash =
            body.isEmpty ? SignatureV4.hashOfNothing : Hexadecimal.text(SignatureV4.digest(body))
        request.sign(bodyHash: hash, signing)
        if !body.isEmpty { request.body = RequestBody([.bytes(body)]) }
        request.provesBody = true
        return request
    }

    /// `query` consists of names and values, sorted by name.
    private func unsigned(
        _ method: String,
        _ query: [(String, String)],
        _ fields: [HeaderField],
        _ signing: Signing
    ) -> DialectRequest {
        let object = url(in: signing.region)
        let text = query.map { "\(PercentEncoding.encoded($0))=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        let url = text.isEmpty ? object : (try? RequestURL("\(object.unredacted)?\(text)")) ?? object
        var request = DialectRequest(method: method, url: url, headers: fields)
        request.usesCredentials = url.hasOrigin(of: ownURL)
        return request
    }
}

extension DialectRequest {
    /// Adds the header fields that sign the request.
    ///
    /// - Parameters:
    ///   - bodyHash: the SHA-256 of the body, hexadecimal.
    ///   - signing: who signs.
    mutating func sign(bodyHash: String, _ signing: S3Requests.Signing) {
        let signature = SignatureV4(key: signing.key, region: signing.region, time: signing.time)
        headers += signature.fields(method, url, headers, bodyHash: bodyHash)
    }
}
