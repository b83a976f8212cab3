// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers

/// The starting point for tests of Dropbox's dialect, and the means to drive it from one request to the next.
enum DropboxBench {
    static let mebibyte: Int64 = 1 << 20
    static let start = Moment(wall: Date(timeIntervalSince1970: 1_780_000_000), bootID: "boot", uptime: 1000)
    static let secret = "sl.secret-token"

    static func moment(_ seconds: Double) -> Moment {
        Moment(wall: start.wall + seconds, bootID: start.bootID, uptime: start.uptime + seconds)
    }

    static func source(size: Int64) -> TransferSpec.UploadSource {
        .init(path: "/home/a/film.mov", identity: .init(device: 1, inode: 2, size: size, modified: 3))
    }

    static func spec(
        size: Int64,
        path: String = "/Films/film.mov",
        _ change: (inout DropboxParameters) -> Void = { _ in }
    ) throws -> TransferSpec {
        var parameters = DropboxParameters(account: "dropbox", path: path)
        // Sessions are sequential unless a test says otherwise.
        parameters.connections = 1
        change(&parameters)
        var spec = TransferSpec(
            direction: .upload(source(size: size)),
            url: try parameters.url(),
            method: "POST",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    static func upload(
        size: Int64,
        memory: [UInt8]? = nil,
        now: Moment = start,
        _ change: (inout DropboxParameters) -> Void = { _ in }
    ) throws -> DropboxUpload {
        try DropboxUpload(try spec(size: size, change), memory: memory, now: now)
    }

    static func answer(_ status: Int, _ body: String = "", _ headers: [HeaderField] = []) -> Answer {
        Answer(status: status, headers: headers, bodyStart: Array(body.utf8))
    }

    /// An error of a route.
    static func conflict(_ error: String) -> Answer {
        answer(409, #"{"error_summary": "some/words/..", "error": \#(error)}"#)
    }

    /// An answer that refuses the token.
    static func expired(_ tag: String = "expired_access_token") -> Answer {
        answer(401, #"{"error_summary":"\#(tag)/","error":{".tag":"\#(tag)"}}"#)
    }

    /// Dropbox's metadata of a file.
    static func file(size: Int64, version: Int = 1, hash: String? = nil, rev: String = "0123456789") -> Answer {
        let hash = hash ?? SymbolicContent(version: version, 0..<size).contentHash
        return answer(
            200,
            #"{"name":"film.mov","size":\#(size),"content_hash":"\#(hash)","rev":"\#(rev)","is_downloadable":true}"#
        )
    }
}

/// A dialect's next step once digests and tokens are available, in a comparable form.
enum DropboxStep: Equatable {
    case upload
    case start
    case startConcurrent
    case append(Int64, Int64)
    /// An append that closes its session.
    case close(Int64, Int64)
    case finish(Int64, Int64)
    case metadata
    case done
    case failed(TransferFailure.Code)
}

extension DropboxUpload {
    /// Drives it to the next request, or to its end.
    mutating func step(at now: Moment = DropboxBench.start, token: String = DropboxBench.secret) -> DropboxStep {
        for _ in 0..<100_000 {
            switch next(now: now) {
            case .digest(let range): digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
            case .authorize(_, let rejected): authorized(GrantedToken(rejected == nil ? token : token + "+"))
            case .finish: return .done
            case .fail(let failure): return .failed(failure.code)
            case .hash, .wait: return .failed(.internalError)
            case .send(let request): return DropboxStep(request)
            }
        }
        return .failed(.internalError)
    }

    /// Answers the current request, and drives it on.
    mutating func step(after answer: Answer, at now: Moment = DropboxBench.start) -> DropboxStep {
        answered(answer, lane: 0, now: now)
        return step(at: now)
    }

    /// Lets it send as many concurrent requests as it wants.
    ///
    /// - Returns: the requests sent now, by lane.
    mutating func fill(at now: Moment = DropboxBench.start) -> [DialectRequest] {
        var requests: [DialectRequest] = []
        while requests.count < lanes {
            switch next(now: now) {
            case .digest(let range): digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
            case .authorize(_, let rejected):
                authorized(GrantedToken(rejected == nil ? DropboxBench.secret : DropboxBench.secret + "+"))
            case .send(let request): requests.append(request)
            case .finish, .fail, .hash, .wait: return requests
            }
        }
        return requests
    }

    /// Answers the request of a lane, and lets it send its next requests.
    mutating func fill(after answer: Answer, lane: Int = 0, at now: Moment = DropboxBench.start) -> [DropboxStep] {
        answered(answer, lane: lane, now: now)
        return fill(at: now).map { DropboxStep($0) }
    }

    /// The failure that it has ended with.
    mutating func failure() -> TransferFailure? {
        if case .fail(let failure) = next(now: DropboxBench.start) { failure } else { nil }
    }
}

extension DropboxStep {
    init(_ request: DialectRequest) {
        let path = request.url.unredacted
        var offset: Int64 { request.argument["cursor"]["offset"].integer ?? -1 }
        self =
            if path.hasSuffix("/files/upload") {
                .upload
            } else if path.hasSuffix("/start") {
                request.argument["session_type"].tag == "concurrent" ? .startConcurrent : .start
            } else if path.hasSuffix("/append_v2") {
                request.argument["close"] == true
                    ? .close(offset, request.body.count) : .append(offset, request.body.count)
            } else if path.hasSuffix("/finish") {
                .finish(offset, request.body.count)
            } else {
                .metadata
            }
    }
}

extension DialectRequest {
    /// The argument of the call: the header's JSON.
    var argument: DropboxJSON {
        DropboxJSON(parsing: Array((headers["Dropbox-API-Arg"] ?? "").utf8)) ?? .null
    }
}
