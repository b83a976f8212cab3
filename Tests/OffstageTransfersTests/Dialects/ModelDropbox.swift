// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// Dropbox as documented, as a value: which parts of a request it stores, and how it answers.
///
/// Content is symbolic (`SymbolicContent`), so that a run takes microseconds and the committed content is known
/// exactly.
struct ModelDropbox: DialectPeer {
    /// A session's answer to a request after its file was committed: the documentation leaves it open.
    enum AfterCommit: String, CaseIterable { case notFound = "not_found", closed }

    /// A server's response to a request for a concurrent session.
    enum Concurrency: CaseIterable {
        /// It opens one.
        case known
        /// The argument is malformed, or of an unknown kind.
        case malformed, unknown
        /// It opens a sequential one.
        case ignored
    }

    struct Session {
        var content = SymbolicContent()
        var began: Double
        var isCommitted = false
        /// The blocks of a concurrent session, by number; nil for a sequential one.
        var blocks: [Int64: SymbolicContent]?
        var isClosed = false

        var hasHole: Bool {
            guard let blocks, let last = blocks.keys.max() else { return false }
            return (0...last).contains { index in
                guard let block = blocks[index] else { return true }
                return index < last && block.count < ContentHash.blockSize
            }
        }

        /// The session's content, in order.
        var whole: SymbolicContent {
            guard let blocks else { return content }
            var whole = SymbolicContent()
            for (_, block) in blocks.sorted(by: { $0.key < $1.key }) { whole.append(block) }
            return whole
        }
    }

    struct File: Equatable {
        var content: SymbolicContent
        var revision: String
    }

    var tokens: Set<String> = [DropboxBench.secret]
    var afterCommit = AfterCommit.notFound
    var concurrency = Concurrency.known
    var tellsContentHash = true
    /// Whether the app may read metadata.
    var mayRead = true
    /// The maximum size of a request's body, in bytes.
    var maximumBody: Int64 = 157_286_400
    var files: [String: File] = [:]
    var sessions: [String: Session] = [:]
    /// The commits with their paths; a commit that changed nothing does not count.
    private(set) var commits: [(path: String, content: SymbolicContent)] = []
    private var sessionCount = 0
    /// The path of the last commit.
    private var lastPath = ""
    /// The version of the file that is being sent.
    var version = 1

    static let sessionLife = 604_800.0

    var isComplete: Bool { commits.count == 1 }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        handle(request, SymbolicContent(request.body, version: version), now: now)
    }

    /// Handles a request whose body may have been changed in transit.
    mutating func handle(_ request: DialectRequest, _ body: SymbolicContent, now: Moment) -> Answer {
        let token = (request.headers["Authorization"] ?? "").replacing("Bearer ", with: "")
        guard tokens.contains(token) else { return DropboxBench.expired() }
        if body.count > maximumBody { return DropboxBench.conflict(#"{".tag":"payload_too_large"}"#) }
        let step = DropboxStep(request)
        let argument = step == .metadata ? .null : request.argument
        switch step {
        case .upload:
            if let refusal = mismatch(argument, body) { return refusal }
            guard let error = commit(body, argument) else { return metadata(of: lastPath) }
            sessionCount += 1
            let id = "s\(sessionCount)"
            sessions[id] = Session(content: body, began: now.uptime)
            return DropboxBench.conflict(#"{".tag":"path","reason":\#(error),"upload_session_id":"\#(id)"}"#)
        case .start, .startConcurrent:
            var session = Session(content: body, began: now.uptime)
            if step == .startConcurrent {
                switch concurrency {
                case .known: session.blocks = [:]
                case .malformed: return DropboxBench.answer(400, "unknown field 'session_type'")
                case .unknown: return DropboxBench.conflict(#"{".tag":"feature_not_enabled"}"#)
                case .ignored: break
                }
            }
            sessionCount += 1
            sessions["s\(sessionCount)"] = session
            return DropboxBench.answer(200, #"{"session_id":"s\#(sessionCount)"}"#)
        case .append, .close:
            if let error = store(argument, body, now: now) { return DropboxBench.conflict(error) }
            return DropboxBench.answer(200, "null")
        case .finish:
            let refusal =
                isConcurrent(argument)
                ? whyNotFinished(argument, body, now: now) : store(argument, body, now: now)
            if let error = refusal {
                let isOfSession = !error.contains("content_hash_mismatch") && !error.contains("concurrent_session_")
                return DropboxBench.conflict(
                    isOfSession ? #"{".tag":"lookup_failed","lookup_failed":\#(error)}"# : error
                )
            }
            let id = argument["cursor"]["session_id"].string ?? ""
            let content = sessions[id]?.whole ?? SymbolicContent()
            if let error = commit(content, argument["commit"]) {
                return DropboxBench.conflict(#"{".tag":"path","path":\#(error)}"#)
            }
            sessions[id]?.isCommitted = true
            return metadata(of: lastPath)
        case .metadata: return metadata(request)
        case .done, .failed: return DropboxBench.answer(400)
        }
    }

    /// Keeps the rest of a request that was cut off: for a session, the bytes that had arrived.
    mutating func cutOff(_ request: DialectRequest, after count: Int64) {
        switch DropboxStep(request) {
        case .append(let offset, _), .finish(let offset, _):
            let id = request.argument["cursor"]["session_id"].string ?? ""
            guard var session = sessions[id], !session.isCommitted, session.blocks == nil,
                session.content.count == offset
            else { return }
            session.content.append(SymbolicContent(request.body, version: version).prefix(count))
            sessions[id] = session
        case .upload, .start, .startConcurrent, .close, .metadata, .done, .failed: break
        }
    }

    // MARK: - Sessions

    /// Stores a call's bytes in its session, or returns why not.
    private mutating func store(_ argument: DropboxJSON, _ body: SymbolicContent, now: Moment) -> String? {
        let id = argument["cursor"]["session_id"].string ?? ""
        guard var session = sessions[id], now.uptime - session.began < Self.sessionLife else {
            return #"{".tag":"not_found"}"#
        }
        if session.isCommitted { return #"{".tag":"\#(afterCommit.rawValue)"}"# }
        if session.blocks != nil {
            let error =
                Self.put(body, argument, into: &session) ?? mismatch(argument, body).map { _ in Self.mismatched }
            if error == nil { sessions[id] = session }
            return error
        }
        guard argument["cursor"]["offset"].integer == session.content.count else {
            return #"{".tag":"incorrect_offset","correct_offset":\#(session.content.count)}"#
        }
        if mismatch(argument, body) != nil { return Self.mismatched }
        session.content.append(body)
        sessions[id] = session
        return nil
    }

    private static let mismatched = #"{".tag":"content_hash_mismatch"}"#

    /// Stores bytes in a concurrent session, or returns why not.
    private static func put(_ body: SymbolicContent, _ argument: DropboxJSON, into session: inout Session) -> String? {
        if session.isClosed { return #"{".tag":"closed"}"# }
        let offset = argument["cursor"]["offset"].integer ?? -1
        let closes = argument["close"] == true
        if offset % ContentHash.blockSize != 0 { return #"{".tag":"concurrent_session_invalid_offset"}"# }
        if !closes, body.count % ContentHash.blockSize != 0 {
            return #"{".tag":"concurrent_session_invalid_data_size"}"#
        }
        var (rest, number) = (body, offset / ContentHash.blockSize)
        while rest.count > 0 {
            session.blocks?[number] = rest.prefix(ContentHash.blockSize)
            (rest, number) = (rest.dropping(ContentHash.blockSize), number + 1)
        }
        session.isClosed = closes
        return nil
    }

    private func isConcurrent(_ argument: DropboxJSON) -> Bool {
        guard let session = sessions[argument["cursor"]["session_id"].string ?? ""] else { return false }
        return session.blocks != nil && !session.isCommitted
    }

    /// Why a concurrent session is not committed; nil if it is.
    private func whyNotFinished(_ argument: DropboxJSON, _ body: SymbolicContent, now: Moment) -> String? {
        guard let session = sessions[argument["cursor"]["session_id"].string ?? ""],
            now.uptime - session.began < Self.sessionLife
        else { return #"{".tag":"not_found"}"# }
        if body.count > 0 { return #"{".tag":"concurrent_session_data_not_allowed"}"# }
        if !session.isClosed { return #"{".tag":"concurrent_session_not_closed"}"# }
        if session.hasHole { return #"{".tag":"concurrent_session_missing_data"}"# }
        let count = session.whole.count
        if argument["cursor"]["offset"].integer != count {
            return #"{".tag":"incorrect_offset","correct_offset":\#(count)}"#
        }
        return nil
    }

    private func mismatch(_ argument: DropboxJSON, _ body: SymbolicContent) -> Answer? {
        guard let hash = argument["content_hash"].string, hash != body.contentHash else { return nil }
        return DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#)
    }

    // MARK: - Files

    /// Moves a file to a place that no upload uses.
    mutating func moveAway(_ path: String) {
        guard let file = files.removeValue(forKey: path) else { return }
        files["/Elsewhere/\(files.count)"] = file
    }

    /// Commits content according to CommitInfo to `lastPath`, or returns why not: a WriteError.
    private mutating func commit(_ content: SymbolicContent, _ info: DropboxJSON) -> String? {
        var path = info["path"].string ?? ""
        if let there = files[path] {
            let isSame = there.content == content
            lastPath = path
            if isSame, info["strict_conflict"] != true { return nil }
            let isConflict: Bool =
                switch info["mode"].tag {
                case "overwrite": false
                case "update": info["mode"]["update"].string != there.revision
                default: true
                }
            if isConflict {
                guard info["autorename"] == true else {
                    return #"{".tag":"conflict","conflict":{".tag":"file"}}"#
                }
                var number = 1
                while files["\(path) (\(number))"] != nil { number += 1 }
                path = "\(path) (\(number))"
            }
        }
        commits.append((path, content))
        files[path] = File(content: content, revision: "00000000c\(commits.count)")
        lastPath = path
        return nil
    }

    private func metadata(_ request: DialectRequest) -> Answer {
        guard mayRead else {
            return DropboxBench.answer(
                401,
                #"{"error":{".tag":"missing_scope","required_scope":"files.metadata.read"}}"#
            )
        }
        guard case .bytes(let bytes) = request.body.segments.first,
            let path = DropboxJSON(parsing: bytes)?["path"].string
        else { return DropboxBench.answer(400) }
        guard files[path] != nil else {
            return DropboxBench.conflict(#"{".tag":"path","path":{".tag":"not_found"}}"#)
        }
        return metadata(of: path)
    }

    private func metadata(of path: String) -> Answer {
        guard let file = files[path] else { return DropboxBench.answer(500) }
        let hash = tellsContentHash ? #","content_hash":"\#(file.content.contentHash)""# : ""
        return DropboxBench.answer(
            200,
            #"{".tag":"file","name":"f","size":\#(file.content.count),"rev":"\#(file.revision)"\#(hash)}"#
        )
    }
}
