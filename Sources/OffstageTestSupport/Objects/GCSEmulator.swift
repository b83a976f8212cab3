// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Google Cloud Storage on loopback, as strict as its documentation: tokens, chunks of whole units, checksums,
/// preconditions, one upload by its secret URL. Includes a token server and faults on request.
package final class GCSEmulator: Sendable {
    package struct Object: Sendable, Equatable {
        package var content: [UInt8]
        package var metadata: [String: String]
        package var contentType: String?
        package var generation: Int
    }

    package struct Upload: Sendable {
        package var content: [UInt8] = []
        var name: String
        var size: Int
        var metadata: [String: String]
        var contentType: String?
        var mustBeNew: Bool
        /// The object that the upload became.
        var made: Object?
    }

    package struct State: Sendable {
        package var objects: [String: Object] = [:]
        package var uploads: [String: Upload] = [:]
        /// How often an object was created.
        package var commits = 0
        /// Tokens that are accepted; nil for any token that begins with the mark.
        package var tokens: Set<String>?
        /// The faults of the next requests that carry bytes of a file, in order.
        package var faults: [Fault] = []
        fileprivate var count = 0
    }

    /// What happens instead of an answer.
    package enum Fault: Sendable {
        /// Nothing.
        case none
        /// So many bytes are read, whole units of them are kept, and the connection is reset.
        case cut(Int)
        /// Like `cut`, but the connection stays open without an answer until the gate opens.
        case held(Int, FaultGate)
        /// Everything is done, and the connection is reset before the answer.
        case lostAnswer
        case status(Int)
        /// The upload is forgotten, with this status.
        case forgotten(Int)
        /// Only so many bytes of the request are kept.
        case keeps(Int)
        /// The object is described with a wrong checksum.
        case wrongChecksum
    }

    package let server: FaultServer
    package let state = Monitor(State())

    /// The beginning of every token and upload ID, for tests that search for leaked ones.
    package static let tokenMark = "ya29.SECRET-token-"
    package static let uploadMark = "SECRET-upload-"
    private static let unit = 256 << 10
    private static let bucket = "films"

    package init() throws {
        server = try FaultServer()
        let (state, base) = (state, server.url(""))
        server.script("/upload/storage/v1/b/\(Self.bucket)/o", FaultAnswer { try Self.upload($0, state, base) })
    }

    package var url: String { server.url("") }

    package func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    /// The methods of all requests, with their `Content-Range`.
    package var calls: [String] {
        server.requests.map { request in
            ([request.method] + [request.headers["Content-Range"]].compactMap(\.self)).joined(separator: " ")
        }
    }

    /// Scripts the object of a name, so that it can be queried and removed as well.
    package func script(object name: String) {
        let state = state
        server.script(
            "/storage/v1/b/\(Self.bucket)/o/\(PercentEncoding.encoded(name))",
            FaultAnswer { try Self.ofObject(name, $0, state) }
        )
    }

    // MARK: - Tokens

    /// Writes the key file of a service account, which asks for tokens at `/token`.
    package func makeKeyFile(at path: String) throws {
        let made = try ChildProcess.run("/usr/bin/openssl", ["genrsa", "2048"])
        guard made.isSuccess else { throw TestError("openssl genrsa failed: \(made.errors)") }
        let file = [
            "type": "service_account", "client_email": "a@p.iam.gserviceaccount.com", "private_key_id": "k1",
            "private_key": made.output, "token_uri": server.url("/token"),
        ]
        try TestFiles.write(Array(try JSONEncoder().encode(file)), to: path)
    }

    /// The answer that gives a token.
    package static func token(_ number: Int, seconds: Int = 3599) -> FaultAnswer {
        .status(
            200,
            body: #"{"access_token":"\#(tokenMark)\#(number)","expires_in":\#(seconds),"token_type":"Bearer"}"#
        )
    }

    // MARK: - Requests

    private static func upload(_ exchange: FaultExchange, _ state: Monitor<State>, _ base: String) throws {
        let query = URLEncodedForm.decode(exchange.request.target.split(separator: "?").dropFirst().first ?? "")
        guard let id = query["upload_id"] else { return try begin(exchange, query, state, base) }
        guard exchange.request.headers["Authorization"] == nil else {
            return try refuse(exchange, 400, "unexpectedToken")
        }
        let isAppend = exchange.request.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0
        let fault = isAppend ? state.withLock { $0.faults.isEmpty ? Fault.none : $0.faults.removeFirst() } : .none
        switch fault {
        case .cut(let count):
            try exchange.readBody(stopAt: count)
            _ = state.withLock { handle(exchange, id, &$0, isCut: true, most: nil) }
            return exchange.reset()
        case .held(let count, let gate):
            try exchange.readBody(stopAt: count)
            _ = state.withLock { handle(exchange, id, &$0, isCut: true, most: nil) }
            return try exchange.wait(for: gate)
        case .status(let status):
            try exchange.readBody()
            return try refuse(exchange, status, "")
        case .forgotten(let status):
            try exchange.readBody()
            state.withLock { $0.uploads[id] = nil }
            return try refuse(exchange, status, "")
        case .none, .lostAnswer, .keeps, .wrongChecksum: break
        }
        try exchange.readBody()
        let most: Int? = if case .keeps(let count) = fault { count } else { nil }
        var answer = state.withLock { handle(exchange, id, &$0, isCut: false, most: most) }
        if case .lostAnswer = fault { return exchange.reset() }
        if case .wrongChecksum = fault, let name = answer.body.firstRange(of: #""crc32c":""#) {
            answer.body = answer.body[..<name.upperBound] + "AAAAAA==" + answer.body[name.upperBound...].dropFirst(8)
        }
        try exchange.respond(answer.status, answer.headers, body: Array(answer.body.utf8))
    }

    private static func isAuthorized(_ exchange: FaultExchange, _ state: Monitor<State>) -> Bool {
        let bearer = "Bearer "
        guard let field = exchange.request.headers["Authorization"], field.hasPrefix(bearer) else { return false }
        let token = String(field.dropFirst(bearer.count))
        return state.withLock { $0.tokens?.contains(token) ?? token.hasPrefix(tokenMark) }
    }

    private static func begin(
        _ exchange: FaultExchange,
        _ query: [String: String],
        _ state: Monitor<State>,
        _ base: String
    ) throws {
        struct Metadata: Decodable {
            var contentType: String?
            var metadata: [String: String]?
        }
        try exchange.readBody()
        guard isAuthorized(exchange, state) else { return try refuse(exchange, 401, "authError") }
        guard exchange.request.method == "POST", query["uploadType"] == "resumable", let name = query["name"],
            let metadata = try? ForeignJSON.decode(Metadata.self, from: exchange.body),
            let size = exchange.request.headers["X-Upload-Content-Length"].flatMap({ Int($0) })
        else { return try refuse(exchange, 400, "invalid") }
        let mustBeNew = query["ifGenerationMatch"] == "0"
        let id = state.withLock { state -> String? in
            if mustBeNew, state.objects[name] != nil { return nil }
            state.count += 1
            let id = "\(uploadMark)\(state.count)"
            state.uploads[id] = Upload(
                name: name,
                size: size,
                metadata: metadata.metadata ?? [:],
                contentType: metadata.contentType,
                mustBeNew: mustBeNew
            )
            return id
        }
        guard let id else { return try refuse(exchange, 412, "conditionNotMet") }
        let url = "\(base)/upload/storage/v1/b/\(bucket)/o?uploadType=resumable&upload_id=\(id)"
        try exchange.respond(200, [HeaderField(name: "Location", value: url)])
    }

    private typealias Reply = (status: Int, headers: [HeaderField], body: String)

    /// Handles a request to an upload whose body has been read.
    private static func handle(
        _ exchange: FaultExchange,
        _ id: String,
        _ state: inout State,
        isCut: Bool,
        most: Int?
    ) -> Reply {
        let request = exchange.request
        guard var upload = state.uploads[id] else { return (404, [], error("notFound")) }
        if request.method == "DELETE" {
            state.uploads[id] = nil
            return (499, [], "")
        }
        guard request.method == "PUT", let range = request.headers["Content-Range"], range.hasPrefix("bytes "),
            range.hasSuffix("/\(upload.size)")
        else { return (400, [], error("invalid")) }
        if let made = upload.made { return describe(made, upload.name) }
        if range.hasPrefix("bytes */") {
            return upload.size == 0 ? make(id, upload, &state) : stands(upload)
        }
        let bounds = range.dropFirst(6).prefix { $0 != "/" }.split(separator: "-").compactMap { Int($0) }
        var body = exchange.body
        if isCut { body.removeLast(body.count % unit) }
        guard bounds.count == 2, isCut || bounds[1] - bounds[0] + 1 == body.count, bounds[0] <= upload.content.count,
            isCut || bounds[1] + 1 == upload.size || body.count % unit == 0
        else { return (400, [], error("invalid")) }
        let news = body.dropFirst(upload.content.count - bounds[0])
        upload.content += most.map { news.prefix($0) } ?? news
        state.uploads[id] = upload
        guard upload.content.count == upload.size, !isCut else { return stands(upload) }
        if let hash = request.headers["X-Goog-Hash"], hash != "crc32c=\(checksum(upload.content))" {
            state.uploads[id] = nil
            return (400, [], error("invalid"))
        }
        return make(id, upload, &state)
    }

    private static func make(_ id: String, _ upload: Upload, _ state: inout State) -> Reply {
        guard !upload.mustBeNew || state.objects[upload.name] == nil else { return (412, [], error("conditionNotMet")) }
        state.commits += 1
        let object = Object(
            content: upload.content,
            metadata: upload.metadata,
            contentType: upload.contentType,
            generation: 1000 + state.commits
        )
        state.objects[upload.name] = object
        state.uploads[id]?.made = object
        return describe(object, upload.name)
    }

    private static func ofObject(_ name: String, _ exchange: FaultExchange, _ state: Monitor<State>) throws {
        try exchange.readBody()
        guard isAuthorized(exchange, state) else { return try refuse(exchange, 401, "authError") }
        guard let object = state.withLock({ $0.objects[name] }) else { return try refuse(exchange, 404, "notFound") }
        if exchange.request.method == "DELETE" {
            guard exchange.request.target.hasSuffix("?generation=\(object.generation)") else {
                return try refuse(exchange, 404, "notFound")
            }
            state.withLock { $0.objects[name] = nil }
            return try exchange.respond(204)
        }
        let answer = describe(object, name)
        try exchange.respond(answer.status, answer.headers, body: Array(answer.body.utf8))
    }

    // MARK: - Answers

    private static func refuse(_ exchange: FaultExchange, _ status: Int, _ reason: String) throws {
        try exchange.respond(status, [], body: Array(error(reason).utf8))
    }

    private static func error(_ reason: String) -> String {
        #"{"error":{"message":"No.","errors":[{"reason":"\#(reason)"}]}}"#
    }

    private static func stands(_ upload: Upload) -> Reply {
        let count = upload.content.count
        return (308, count == 0 ? [] : [HeaderField(name: "Range", value: "bytes=0-\(count - 1)")], "")
    }

    private struct Description: Encodable {
        var kind = "storage#object"
        var bucket: String
        var name: String
        var size: String
        var generation: String
        var crc32c: String
        var metadata: [String: String]
    }

    private static func describe(_ object: Object, _ name: String) -> Reply {
        let description = Description(
            bucket: bucket,
            name: name,
            size: String(object.content.count),
            generation: String(object.generation),
            crc32c: checksum(object.content),
            metadata: object.metadata
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(description)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (200, [HeaderField(name: "Content-Type", value: "application/json; charset=UTF-8")], json)
    }

    private static func checksum(_ bytes: [UInt8]) -> String {
        var checksum = CRC32C()
        bytes.withUnsafeBytes { checksum.update($0) }
        return Data(checksum.bytes).base64EncodedString()
    }
}
