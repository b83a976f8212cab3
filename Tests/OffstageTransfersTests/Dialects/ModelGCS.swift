// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers

/// Google Cloud Storage as documented, as a value: its uploads and objects, and its answers.
struct ModelGCS: DialectPeer {
    struct Upload {
        var content = SymbolicContent()
        var size: Int64
        var marker: String?
        var mustBeNew = false
        /// The object that the upload became.
        var made: Object?
    }

    struct Object: Equatable {
        var content: SymbolicContent
        var marker: String?
        var generation: Int64
    }

    var uploads: [String: Upload] = [:]
    var object: Object?
    /// How often an object was created.
    private(set) var commits = 0
    private(set) var requests: [DialectRequest] = []
    /// Requests that broke the protocol's rules.
    private(set) var mistakes = 0
    /// Tokens that are accepted.
    var tokens: Set<String> = [DialectConformance.secret, DialectConformance.secret + "2"]
    /// Whether an upload that has become an object is forgotten at once, or is remembered as if for a week.
    var forgetsMade = false
    /// Whether the checksum that comes with the last bytes is compared.
    var comparesChecksum = true
    /// The maximum number of bytes kept of a chunk; nil for all.
    var mostOfChunk: Int64?
    /// The version of the file that is being sent.
    var version = 1
    private var count: Int64 = 0

    static let marker = String(repeating: "0123456789abcdef", count: 2)
    static let base = "https://storage.googleapis.com"
    static let quantum: Int64 = 256 << 10

    var isComplete: Bool { object?.marker == Self.marker && object?.content.runs.count ?? 0 <= 1 }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        handle(request, SymbolicContent(request.body, version: version))
    }

    mutating func handle(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        let answer = judge(request, body)
        if answer.status == 400 { mistakes += 1 }
        return answer
    }

    private mutating func judge(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        requests.append(request)
        let query = ModelS3.query(of: request.url)
        if let id = query["upload_id"] {
            // Its URL authorizes it: a token would disclose a secret unnecessarily.
            guard request.headers["Authorization"] == nil else { return Self.error(400, "unexpectedToken") }
            return ofUpload(id, request, body)
        }
        let bearer = "Bearer "
        guard let field = request.headers["Authorization"], field.hasPrefix(bearer),
            tokens.contains(String(field.dropFirst(bearer.count)))
        else { return Self.error(401, "authError") }
        switch request.method {
        case "POST": return begin(request, query)
        case "GET": return object.map { Self.describe($0) } ?? Self.error(404, "notFound")
        case "DELETE":
            guard let object, query["generation"] == "\(object.generation)" else { return Self.error(404, "notFound") }
            self.object = nil
            return Self.answer(204)
        default: return Self.error(405, "methodNotAllowed")
        }
    }

    private mutating func begin(_ request: DialectRequest, _ query: [String: String]) -> Answer {
        struct Metadata: Decodable { var metadata: [String: String]? }
        guard query["uploadType"] == "resumable", query["name"] == "2026%2Fa%20film.mov",
            case .bytes(let bytes)? = request.body.segments.first,
            let metadata = try? ForeignJSON.decode(Metadata.self, from: bytes),
            let size = request.headers["X-Upload-Content-Length"].flatMap({ Int64($0) })
        else { return Self.error(400, "invalid") }
        let mustBeNew = query["ifGenerationMatch"] == "0"
        if mustBeNew, object != nil { return Self.error(412, "conditionNotMet") }
        count += 1
        uploads["u\(count)"] = Upload(
            size: size,
            marker: metadata.metadata?[GCSParameters.markerName],
            mustBeNew: mustBeNew
        )
        return Self.answer(
            200,
            "",
            ["Location": "\(Self.base)/upload/storage/v1/b/films/o?uploadType=resumable&upload_id=u\(count)"]
        )
    }

    private mutating func ofUpload(_ id: String, _ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        guard var upload = uploads[id] else { return Self.error(404, "notFound") }
        if request.method == "DELETE" {
            uploads[id] = nil
            return Self.answer(499)
        }
        guard request.method == "PUT", let range = request.headers["Content-Range"],
            range.hasSuffix("/\(upload.size)")
        else { return Self.error(400, "invalid") }
        if let made = upload.made { return Self.describe(made) }
        if range.hasPrefix("bytes */") {
            guard body.count == 0 else { return Self.error(400, "invalid") }
            return upload.size == 0 ? make(id, upload) : Self.stands(upload)
        }
        let bounds = range.dropFirst("bytes ".count).prefix { $0 != "/" }.split(separator: "-").compactMap { Int64($0) }
        guard bounds.count == 2, bounds[1] - bounds[0] + 1 == body.count, bounds[0] <= upload.content.count else {
            return Self.error(400, "invalid")
        }
        let isLast = bounds[1] + 1 == upload.size
        guard isLast || body.count % Self.quantum == 0 else { return Self.error(400, "invalid") }
        let news = body.dropping(upload.content.count - bounds[0])
        upload.content.append(mostOfChunk.map { news.prefix($0) } ?? news)
        uploads[id] = upload
        guard upload.content.count == upload.size else { return Self.stands(upload) }
        let hash = Data(upload.content.checksum.bytes).base64EncodedString()
        guard !comparesChecksum || request.headers["X-Goog-Hash"] == "crc32c=\(hash)" else {
            uploads[id] = nil
            return Self.error(400, "invalid")
        }
        return make(id, upload)
    }

    private mutating func make(_ id: String, _ upload: Upload) -> Answer {
        guard !upload.mustBeNew || object == nil else { return Self.error(412, "conditionNotMet") }
        commits += 1
        let made = Object(content: upload.content, marker: upload.marker, generation: Int64(1000 + commits))
        object = made
        uploads[id]?.made = made
        if forgetsMade { uploads[id] = nil }
        return Self.describe(made)
    }

    /// Keeps the rest of a request that was cut off: whole units of the bytes that had arrived.
    mutating func cutOff(_ request: DialectRequest, after bytes: Int64) {
        guard let id = ModelS3.query(of: request.url)["upload_id"], let upload = uploads[id], upload.made == nil,
            let range = request.headers["Content-Range"], request.body.count > 0,
            let begin = range.dropFirst("bytes ".count).split(separator: "-").first.flatMap({ Int64($0) }),
            begin <= upload.content.count
        else { return }
        let arrived = SymbolicContent(request.body, version: version).prefix(bytes / Self.quantum * Self.quantum)
        uploads[id]?.content.append(arrived.dropping(upload.content.count - begin))
    }

    // MARK: - Answers

    private static func stands(_ upload: Upload) -> Answer {
        let count = upload.content.count
        return answer(308, "", count == 0 ? [:] : ["Range": "bytes=0-\(count - 1)"])
    }

    static func describe(_ object: Object) -> Answer {
        let hash = Data(object.content.checksum.bytes).base64EncodedString()
        let marker = object.marker.map { #","metadata":{"offstage-id":"\#($0)"}"# } ?? ""
        return answer(
            200,
            #"{"kind":"storage#object","bucket":"films","size":"\#(object.content.count)","crc32c":"\#(hash)","#
                + #""generation":"\#(object.generation)"\#(marker)}"#,
            ["X-GUploader-UploadID": "secret-id-of-the-upload"]
        )
    }

    static func answer(_ status: Int, _ body: String = "", _ fields: [String: String] = [:]) -> Answer {
        ModelS3.answer(status, body, fields)
    }

    static func error(_ status: Int, _ reason: String) -> Answer {
        answer(status, #"{"error":{"code":\#(status),"message":"No.","errors":[{"reason":"\#(reason)"}]}}"#)
    }

    // MARK: - Specifications

    static let identity = GoogleIdentity.keyFile("/home/a/key.json")

    static func spec(size: Int64, _ change: (inout GCSParameters) -> Void = { _ in }) throws -> TransferSpec {
        var parameters = GCSParameters(
            GCSLocation(bucket: "films", object: "2026/a film.mov"),
            at: nil,
            by: identity,
            marker: marker
        )
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
}
