// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers

/// A tus 1.0 server according to the protocol, as a value: which parts of a request it stores, and how it answers.
struct ModelTus: DialectPeer {
    struct Upload {
        var length: Int64
        var content = SymbolicContent()
        var metadata: String?
    }

    /// Its answer to a request for a complete upload.
    enum AfterCompletion: CaseIterable { case stays, isRemoved }

    var extensions = "creation,expiration,checksum,termination"
    var algorithms = "md5,sha1"
    var maximum: Int64?
    /// The maximum size of a request's body, in bytes.
    var maximumBody: Int64 = .max
    var knowsPatch = true
    var knowsOptions = true
    var afterCompletion = AfterCompletion.stays
    var uploads: [String: Upload] = [:]
    /// Uploads whose last byte has arrived.
    private(set) var completions = 0
    private(set) var requests: [DialectRequest] = []
    private var count = 0
    /// The version of the file that is being sent.
    var version = 1

    static let endpoint = "https://tus.example/files/"

    /// An empty upload is complete once it is created: if its creation was not answered, it exists twice.
    var isComplete: Bool { completions == 1 || completions > 0 && uploads.values.allSatisfy { $0.length == 0 } }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        handle(request, SymbolicContent(request.body, version: version))
    }

    mutating func handle(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        requests.append(request)
        if request.method == "OPTIONS" { return options() }
        guard request.headers["Tus-Resumable"] == "1.0.0" else { return Self.answer(412, ["Tus-Version": "1.0.0"]) }
        let method = request.headers["X-HTTP-Method-Override"] ?? request.method
        if request.method == "PATCH", !knowsPatch { return Self.answer(405) }
        if body.count > maximumBody { return Self.answer(413) }
        switch method {
        case "POST": return create(request)
        case "HEAD": return look(request)
        case "PATCH": return append(request, body)
        default: return Self.answer(405)
        }
    }

    /// Keeps the rest of a request that was cut off: the bytes that had arrived.
    mutating func cutOff(_ request: DialectRequest, after bytes: Int64) {
        guard request.headers["Upload-Offset"] != nil, request.headers["Upload-Checksum"] == nil else { return }
        _ = append(request, SymbolicContent(request.body, version: version).prefix(bytes))
    }

    private func options() -> Answer {
        guard knowsOptions else { return Self.answer(404) }
        var fields = ["Tus-Version": "1.0.0,0.2.2", "Tus-Extension": extensions, "Tus-Checksum-Algorithm": algorithms]
        fields["Tus-Max-Size"] = maximum.map(String.init)
        return Self.answer(204, fields)
    }

    private mutating func create(_ request: DialectRequest) -> Answer {
        guard request.url.unredacted == Self.endpoint,
            let length = request.headers["Upload-Length"].flatMap({ Int64($0) })
        else { return Self.answer(400) }
        count += 1
        uploads["\(count)"] = Upload(length: length, metadata: request.headers["Upload-Metadata"])
        if length == 0 { completions += 1 }
        // Relative, as the protocol allows.
        return Self.answer(201, ["Location": "/files/\(count)"])
    }

    private func upload(of request: DialectRequest) -> (name: String, upload: Upload)? {
        let name = request.url.fileName ?? ""
        return uploads[name].map { (name, $0) }
    }

    private func look(_ request: DialectRequest) -> Answer {
        guard let (_, upload) = upload(of: request) else { return Self.answer(404) }
        return Self.answer(200, ["Upload-Offset": "\(upload.content.count)", "Upload-Length": "\(upload.length)"])
    }

    private mutating func append(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        guard let (name, found) = upload(of: request) else { return Self.answer(404) }
        guard request.headers["Content-Type"] == "application/offset+octet-stream" else { return Self.answer(415) }
        var upload = found
        guard request.headers["Upload-Offset"] == "\(upload.content.count)" else { return Self.answer(409) }
        if let checksum = request.headers["Upload-Checksum"], checksum != Self.checksum(body) {
            return Self.answer(460)
        }
        upload.content.append(body)
        uploads[name] = upload
        if upload.content.count == upload.length {
            completions += 1
            if afterCompletion == .isRemoved { uploads[name] = nil }
        }
        return Self.answer(
            204,
            ["Upload-Offset": "\(upload.content.count)", "Upload-Expires": "Wed, 25 Jun 2036 16:00:00 GMT"]
        )
    }

    /// A substitute for the digest of symbolic content; the driver computes it in the same way.
    static func checksum(_ content: SymbolicContent) -> String {
        "sha1 \(Data(digest(content)).base64EncodedString())"
    }

    static func digest(_ content: SymbolicContent) -> [UInt8] { Array(content.contentHash.utf8) }

    static func answer(_ status: Int, _ fields: [String: String] = [:]) -> Answer {
        Answer(
            status: status,
            headers: fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        )
    }

    static func spec(size: Int64, _ change: (inout TusParameters) -> Void = { _ in }) throws -> TransferSpec {
        var parameters = TusParameters()
        parameters.metadata = [MetadataEntry("filename", "film.mov")]
        change(&parameters)
        var spec = TransferSpec(
            direction: .upload(DropboxBench.source(size: size)),
            url: try RequestURL(endpoint),
            method: "POST",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec(at: spec.url)
        return spec
    }
}
