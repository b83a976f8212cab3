// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator

/// The emulated Dropbox without sockets: calls as the edge would make them, with the test's own clock.
struct EmulatorBench {
    var dropbox: EmulatedDropbox
    /// Seconds since 1970.
    var now: Double = 1_786_000_000
    var token = ""
    /// Segments that are held, and released ones.
    var segments: Set<String> = []
    var released: [String] = []
    private var count = 0

    init(rules: DropboxRules = DropboxRules(), apps: [String: String] = [:]) {
        dropbox = EmulatedDropbox(rules: rules, apps: apps)
        token = dropbox.issueToken(now: now)["access_token"].string ?? ""
    }

    /// A request in two steps, its body received as planned; the client may disconnect after `cutAt` bytes of it.
    mutating func send(_ request: EmulatorRequest, _ body: [UInt8] = [], cutAt: Int? = nil) -> EmulatorOutcome {
        let call = dropbox.begin(request, now: now)
        return end(call, body, cutAt: cutAt)
    }

    /// Only the second step, for calls that overtake each other.
    mutating func end(_ call: EmulatorCall, _ body: [UInt8], cutAt: Int? = nil) -> EmulatorOutcome {
        count += 1
        let cut = cutAt ?? call.cut.flatMap { $0 <= body.count ? Int($0) : nil }
        let came = cut.map { Array(body.prefix($0)) } ?? body
        var received = ReceivedBody(
            length: Int64(came.count),
            contentHash: ContentHasher.contentHash(of: came),
            bytes: call.needsBytes ? came : [],
            isWhole: cut == nil
        )
        var offset = 0
        for part in call.parts {
            let length = min(part.length.map { Int($0) } ?? .max, came.count - offset)
            var hasher = part.hasher
            came[offset..<offset + length].withUnsafeBytes { hasher.update($0) }
            received.parts.append(.init(length: Int64(length), hasher: hasher, offset: Int64(offset)))
            offset += length
        }
        if call.isStored, !came.isEmpty {
            received.segment = "segment-\(count)"
            segments.insert("segment-\(count)")
        }
        let outcome = dropbox.finish(call, received, now: now)
        segments.subtract(outcome.released)
        released += outcome.released
        return outcome
    }

    /// The head of an API call.
    func head(
        _ route: EmulatorRoute,
        _ argument: EmulatorJSON,
        headers: [String: String] = [:]
    ) -> EmulatorRequest {
        let isRPC = ![.upload, .start, .append, .appendBatch, .finish, .download].contains(route)
        var all = ["authorization": "Bearer \(token)"]
        if route != .download { all["content-type"] = isRPC ? "application/json" : "application/octet-stream" }
        if !isRPC { all["dropbox-api-arg"] = argument.headerText }
        for (name, value) in headers { all[name.lowercased()] = value }
        return EmulatorRequest(method: "POST", path: "/2/" + route.rawValue, headers: all)
    }

    /// An API call; its answer has no status if the connection was closed without one.
    mutating func call(
        _ route: EmulatorRoute,
        _ argument: EmulatorJSON,
        _ body: [UInt8] = [],
        headers: [String: String] = [:],
        cutAt: Int? = nil
    ) -> EmulatorReply {
        let head = head(route, argument, headers: headers)
        let isRPC = head.header("Dropbox-API-Arg") == nil
        return send(head, isRPC ? Array(argument.text.utf8) : body, cutAt: cutAt).reply ?? EmulatorReply(status: 0)
    }

    mutating func call(_ route: EmulatorRoute, _ argument: EmulatorJSON, _ text: String) -> EmulatorReply {
        call(route, argument, Array(text.utf8))
    }

    /// Starts a session and returns its ID.
    mutating func startSession(_ text: String = "", kind: String? = nil, close: Bool = false) -> String {
        var argument: [String: EmulatorJSON] = ["close": .bool(close)]
        if let kind { argument["session_type"] = .string(kind) }
        return call(.start, .object(argument), text).json["session_id"].string ?? ""
    }

    mutating func append(_ session: String, _ offset: Int64, _ body: [UInt8], close: Bool = false) -> EmulatorReply {
        call(.append, ["cursor": cursor(session, offset), "close": .bool(close)], body)
    }

    mutating func append(_ session: String, _ offset: Int64, _ text: String, close: Bool = false) -> EmulatorReply {
        append(session, offset, Array(text.utf8), close: close)
    }

    mutating func finish(
        _ session: String,
        _ offset: Int64,
        _ text: String = "",
        path: String = "/file",
        _ commit: [String: EmulatorJSON] = [:]
    ) -> EmulatorReply {
        let commit = EmulatorJSON.object(commit.merging(["path": .string(path)]) { given, _ in given })
        return call(.finish, ["cursor": cursor(session, offset), "commit": commit], text)
    }

    func cursor(_ session: String, _ offset: Int64) -> EmulatorJSON {
        ["session_id": .string(session), "offset": .integer(offset)]
    }
}

extension EmulatorReply {
    /// The `.tag` of the error.
    var tag: String? { json["error"][".tag"].string }

    /// The error of `lookup_failed`.
    var lookup: EmulatorJSON { json["error"]["lookup_failed"] }
}
