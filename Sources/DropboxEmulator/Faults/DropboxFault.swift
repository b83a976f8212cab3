// SPDX-License-Identifier: Apache-2.0

/// The fault of one call.
package enum DropboxFault: Sendable, Equatable {
    /// The whole request is read, nothing is done, and the connection closes without an answer.
    case lostBefore
    /// All is done, and the connection closes without an answer.
    case lostAfter
    /// The bytes are kept, the file is not committed, and the connection closes without an answer. Like `lostAfter` for
    /// a call that commits nothing.
    case lostBetween
    /// Nothing is done, and `incorrect_offset` is answered with that offset.
    case incorrectOffset(told: Int64)
    /// Like `incorrectOffset(told:)`, but so many bytes away from the correct offset.
    case incorrectOffsetBy(Int64)
    /// 429 with `Retry-After`, in JSON or as plain text.
    case rateLimited(retryAfter: Int, plain: Bool, reason: String)
    /// 401 with that member of AuthError. `expired_access_token` really expires the token of the call.
    case unauthorized(String)
    /// Any other status with that text as the body; with `effect`, after carrying out the call.
    case status(Int, body: String, effect: Bool)
    /// 409 with that error; with `effect`, after carrying out the call.
    case error(EmulatorJSON, effect: Bool)
    /// The call's session is forgotten first.
    case sessionLost
    /// The call's session is closed first.
    case sessionClosed
    /// The answer comes so many seconds later, and the body is read no faster than so many bytes in a second.
    case slow(latency: Double, bytesPerSecond: Double?)
    /// The connection closes after so many bytes of the body. With `keep`, these bytes stay in the session.
    case cut(at: Int64, keep: Bool)

    init(_ reader: inout ArgumentReader) throws(DropboxRefusal) {
        let kind = try reader.string("kind")
        switch kind {
        case "lost_before": self = .lostBefore
        case "lost_after": self = .lostAfter
        case "lost_between": self = .lostBetween
        case "incorrect_offset":
            if let told = try reader.optionalCount("told") {
                self = .incorrectOffset(told: told)
            } else {
                self = .incorrectOffsetBy(try reader.optionalInteger("by") ?? 0)
            }
        case "rate_limited":
            let seconds = try reader.optionalCount("retry_after") ?? 1
            _ = try reader.optionalSeconds("retry_after")
            self = .rateLimited(
                retryAfter: Int(seconds),
                plain: try reader.bool("plain", default: false),
                reason: try reader.optionalString("reason") ?? "too_many_requests"
            )
        case "unauthorized": self = .unauthorized(try reader.optionalString("tag") ?? "expired_access_token")
        case "status":
            let status = try reader.count("status")
            // Only a final status can end an exchange, and a status below 200 is not final.
            guard (200...599).contains(status) else {
                throw reader.refuse("status", "\(status) is not within range [200, 599]")
            }
            self = .status(
                Int(status),
                body: try reader.optionalString("body") ?? "",
                effect: try reader.bool("effect", default: false)
            )
        case "error":
            guard let error = reader.any("error"), error[".tag"].string != nil || error["reason"].object != nil else {
                throw reader.refuse("error", "expected an object with '.tag'")
            }
            self = .error(error, effect: try reader.bool("effect", default: false))
        case "session_lost": self = .sessionLost
        case "session_closed": self = .sessionClosed
        case "slow":
            self = .slow(
                latency: try reader.optionalSeconds("latency") ?? 0,
                bytesPerSecond: try reader.optionalNumber("bytes_per_second").flatMap { $0 > 0 ? $0 : nil }
            )
        case "cut": self = .cut(at: try reader.count("at"), keep: try reader.bool("keep", default: false))
        default: throw reader.refuse("kind", "\"\(kind)\" is not a kind of fault")
        }
        try reader.end()
    }

    /// Whether the fault applies to a call: only some calls have a session, and a body whose length is known in advance
    /// cannot be cut beyond its end.
    func concerns(_ route: EmulatorRoute, length: Int64?) -> Bool {
        switch self {
        case .incorrectOffset, .incorrectOffsetBy, .sessionLost, .sessionClosed: route == .append || route == .finish
        case .cut(let position, _): length.map { position <= $0 } ?? true
        default: true
        }
    }

    package var json: EmulatorJSON {
        switch self {
        case .lostBefore: ["kind": "lost_before"]
        case .lostAfter: ["kind": "lost_after"]
        case .lostBetween: ["kind": "lost_between"]
        case .incorrectOffset(let told): ["kind": "incorrect_offset", "told": .integer(told)]
        case .incorrectOffsetBy(let distance): ["kind": "incorrect_offset", "by": .integer(distance)]
        case .rateLimited(let seconds, let plain, let reason):
            [
                "kind": "rate_limited", "retry_after": .integer(Int64(seconds)), "plain": .bool(plain),
                "reason": .string(reason),
            ]
        case .unauthorized(let tag): ["kind": "unauthorized", "tag": .string(tag)]
        case .status(let status, let body, let effect):
            ["kind": "status", "status": .integer(Int64(status)), "body": .string(body), "effect": .bool(effect)]
        case .error(let error, let effect): ["kind": "error", "error": error, "effect": .bool(effect)]
        case .sessionLost: ["kind": "session_lost"]
        case .sessionClosed: ["kind": "session_closed"]
        case .slow(let latency, let rate):
            ["kind": "slow", "latency": .number(latency), "bytes_per_second": rate.map { .number($0) } ?? .null]
        case .cut(let position, let keep): ["kind": "cut", "at": .integer(position), "keep": .bool(keep)]
        }
    }
}
