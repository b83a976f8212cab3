// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers

/// An S3 endpoint as documented, as a value: its parts and objects, and its answers. A third-party server checks the
/// signatures (`scripts/resume --server ministack`).
struct ModelS3: DialectPeer {
    struct Upload {
        var parts: [Int: (content: SymbolicContent, tag: String)] = [:]
        var marker: String?
    }

    struct Object: Equatable {
        var content: SymbolicContent
        var marker: String?
    }

    var uploads: [String: Upload] = [:]
    var object: Object?
    /// How often an object was created.
    private(set) var commits = 0
    private(set) var requests: [DialectRequest] = []
    /// Keys that are accepted.
    var keys: Set<String> = ["AKID", "AKID2"]
    /// Whether an upload that was completed is forgotten, or can be completed again.
    var forgetsCompleted = true
    var mostParts = 10_000
    private var count = 0
    /// The version of the file that is being sent.
    var version = 1

    static let marker = String(repeating: "0123456789abcdef", count: 2)

    var isComplete: Bool { object?.marker == Self.marker && object?.content.runs.count ?? 0 <= 1 }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        requests.append(request)
        let body = SymbolicContent(request.body, version: version)
        guard let authorization = request.headers["Authorization"],
            keys.contains(where: { authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=\($0)/") })
        else { return Self.error(403, "ExpiredToken") }
        if body.count > 0 {
            let digest = Hexadecimal.text(ModelTus.digest(body))
            guard request.headers["x-amz-content-sha256"] == digest else {
                return Self.error(400, "XAmzContentSHA256Mismatch")
            }
        }
        let query = Self.query(of: request.url)
        switch (request.method, query["uploadId"], query["partNumber"]) {
        case ("PUT", nil, _): return put(request, body)
        case ("HEAD", _, _): return head()
        case ("POST", nil, _): return create(request)
        case ("PUT", let id?, let part?): return store(body, id, Int(part) ?? 0)
        case ("GET", let id?, _): return list(id, after: query["part-number-marker"].flatMap { Int($0) } ?? 0, query)
        case ("POST", let id?, _): return complete(id, request)
        case ("DELETE", let id?, _):
            return uploads.removeValue(forKey: id) == nil ? Self.error(404, "NoSuchUpload") : Self.answer(204)
        default: return Self.error(405, "MethodNotAllowed")
        }
    }

    static func query(of url: RequestURL) -> [String: String] {
        let text = url.unredacted.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        var values: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return values
    }

    // MARK: - Calls

    private mutating func put(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        if object != nil, request.headers["If-None-Match"] == "*" { return Self.error(412, "PreconditionFailed") }
        object = Object(content: body, marker: request.headers[S3Parameters.markerField])
        commits += 1
        return Self.answer(200, "", ["ETag": "\"whole\""])
    }

    private func head() -> Answer {
        guard let object else { return Self.answer(404) }
        var fields = ["Content-Length": "\(object.content.count)"]
        fields[S3Parameters.markerField] = object.marker
        return Self.answer(200, "", fields)
    }

    private mutating func create(_ request: DialectRequest) -> Answer {
        count += 1
        uploads["u\(count)"] = Upload(marker: request.headers[S3Parameters.markerField])
        return Self.xml("<InitiateMultipartUploadResult><UploadId>u\(count)</UploadId></InitiateMultipartUploadResult>")
    }

    private mutating func store(_ body: SymbolicContent, _ id: String, _ part: Int) -> Answer {
        guard uploads[id] != nil else { return Self.error(404, "NoSuchUpload") }
        guard (1...mostParts).contains(part) else { return Self.error(400, "InvalidArgument") }
        let tag = "\"\(Hexadecimal.text(ModelTus.digest(body)).prefix(32))\""
        uploads[id]?.parts[part] = (body, tag)
        return Self.answer(200, "", ["ETag": tag])
    }

    private func list(_ id: String, after marker: Int, _ query: [String: String]) -> Answer {
        guard let upload = uploads[id] else { return Self.error(404, "NoSuchUpload") }
        let most = query["max-parts"].flatMap { Int($0) } ?? 1000
        let rest = upload.parts.keys.filter { $0 > marker }.sorted()
        var text = "<ListPartsResult>"
        for part in rest.prefix(most) {
            guard let stored = upload.parts[part] else { continue }
            text += "<Part><PartNumber>\(part)</PartNumber><ETag>\(stored.tag.replacing("\"", with: "&quot;"))</ETag>"
            text += "<Size>\(stored.content.count)</Size></Part>"
        }
        text += "<IsTruncated>\(rest.count > most)</IsTruncated>"
        if let last = rest.prefix(most).last { text += "<NextPartNumberMarker>\(last)</NextPartNumberMarker>" }
        return Self.xml(text + "</ListPartsResult>")
    }

    private mutating func complete(_ id: String, _ request: DialectRequest) -> Answer {
        guard let upload = uploads[id] else { return Self.error(404, "NoSuchUpload") }
        if object != nil, object?.marker != upload.marker, request.headers["If-None-Match"] == "*" {
            return Self.error(412, "PreconditionFailed")
        }
        guard case .bytes(let bytes)? = request.body.segments.first, let root = XMLElement.root(of: bytes) else {
            return Self.error(400, "MalformedXML")
        }
        var content = SymbolicContent()
        for (index, element) in root.children.enumerated() {
            guard element.value("PartNumber") == "\(index + 1)", let part = upload.parts[index + 1],
                element.value("ETag") == part.tag
            else { return Self.error(400, "InvalidPart") }
            content.append(part.content)
        }
        if object == nil || forgetsCompleted { commits += 1 }
        object = Object(content: content, marker: upload.marker)
        if forgetsCompleted { uploads[id] = nil }
        return Self.xml("<CompleteMultipartUploadResult><ETag>whole</ETag></CompleteMultipartUploadResult>")
    }

    // MARK: - Answers

    static func answer(_ status: Int, _ body: String = "", _ fields: [String: String] = [:]) -> Answer {
        Answer(
            status: status,
            headers: fields.map { HeaderField(name: $0, value: $1) },
            bodyStart: Array(body.utf8)
        )
    }

    static func xml(_ text: String) -> Answer {
        // S3 sends white space while it works.
        answer(200, "\n  \n" + #"<?xml version="1.0" encoding="UTF-8"?>"# + text)
    }

    static func error(_ status: Int, _ code: String, _ fields: [String: String] = [:], _ more: String = "") -> Answer {
        answer(status, "<Error><Code>\(code)</Code><Message>No.</Message>\(more)</Error>", fields)
    }

    // MARK: - Specifications

    static func parameters() -> S3Parameters {
        let object = S3Object(
            S3Location(bucket: "films", key: "2026/a film.mov"),
            at: S3Endpoint(base: "https://s3.example", region: "us-east-1"),
            keys: .profile(
                AWSProfile(name: "work", credentialsPath: "/home/a/.aws/credentials", configPath: "/none")
            )
        )
        return S3Parameters(object, marker: marker)
    }

    static func spec(
        size: Int64,
        _ change: (inout S3Parameters) -> Void = { _ in }
    ) throws -> TransferSpec {
        var parameters = parameters()
        change(&parameters)
        var spec = TransferSpec(
            direction: .upload(DropboxBench.source(size: size)),
            url: try parameters.url(),
            method: "PUT",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    static func key(_ id: String = "AKID") -> GrantedToken {
        GrantedToken(AccessKey(id: id, secret: DialectConformance.secret))
    }
}
