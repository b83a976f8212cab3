// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// Dropbox as its documentation describes it, in a value: what of a request it stores, and what it answers.
///
/// Content is symbolic (`SymbolicContent`), so that a run takes microseconds and what is committed is known exactly.
struct ModelDropbox: DialectPeer {
    /// What a session answers to whoever asks for it after its file was committed: the documentation leaves it open.
    enum AfterCommit: String, CaseIterable { case notFound = "not_found", closed }

    struct Session {
        var content = SymbolicContent()
        var began: Double
        var isCommitted = false
    }

    struct File: Equatable {
        var content: SymbolicContent
        var revision: String
    }

    var tokens: Set<String> = [DropboxBench.secret]
    var afterCommit = AfterCommit.notFound
    var tellsContentHash = true
    /// Whether the app may look at what is there.
    var mayRead = true
    /// Bytes of a request's body.
    var maximumBody: Int64 = 157_286_400
    var files: [String: File] = [:]
    var sessions: [String: Session] = [:]
    /// What was committed, and where: commits that changed nothing are none.
    private(set) var commits: [(path: String, content: SymbolicContent)] = []
    private var sessionCount = 0
    /// Where the last commit led to.
    private var lastPath = ""
    /// The version of the file whose bytes arrive.
    var version = 1

    static let sessionLife = 604_800.0

    var isComplete: Bool { commits.count == 1 }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        handle(request, SymbolicContent(request.body, version: version), now: now)
    }

    /// Handles a request whose body may have been changed on its way.
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
        case .start:
            sessionCount += 1
            sessions["s\(sessionCount)"] = Session(content: body, began: now.uptime)
            return DropboxBench.answer(200, #"{"session_id":"s\#(sessionCount)"}"#)
        case .append:
            if let error = store(argument, body, now: now) { return DropboxBench.conflict(error) }
            return DropboxBench.answer(200, "null")
        case .finish:
            if let error = store(argument, body, now: now) {
                let isOfSession = !error.contains("content_hash_mismatch")
                return DropboxBench.conflict(
                    isOfSession ? #"{".tag":"lookup_failed","lookup_failed":\#(error)}"# : error
                )
            }
            let id = argument["cursor"]["session_id"].string ?? ""
            let content = sessions[id]?.content ?? SymbolicContent()
            if let error = commit(content, argument["commit"]) {
                return DropboxBench.conflict(#"{".tag":"path","path":\#(error)}"#)
            }
            sessions[id]?.isCommitted = true
            return metadata(of: lastPath)
        case .metadata: return metadata(request)
        case .done, .failed: return DropboxBench.answer(400)
        }
    }

    /// What is left of a request that was cut off: of a session, the bytes that had arrived.
    mutating func cutOff(_ request: DialectRequest, after count: Int64) {
        switch DropboxStep(request) {
        case .append(let offset, _), .finish(let offset, _):
            let id = request.argument["cursor"]["session_id"].string ?? ""
            guard var session = sessions[id], !session.isCommitted, session.content.count == offset else { return }
            session.content.append(SymbolicContent(request.body, version: version).prefix(count))
            sessions[id] = session
        case .upload, .start, .metadata, .done, .failed: break
        }
    }

    // MARK: - Sessions

    /// Puts a call's bytes into its session, or says why not.
    private mutating func store(_ argument: DropboxJSON, _ body: SymbolicContent, now: Moment) -> String? {
        let id = argument["cursor"]["session_id"].string ?? ""
        guard var session = sessions[id], now.uptime - session.began < Self.sessionLife else {
            return #"{".tag":"not_found"}"#
        }
        if session.isCommitted { return #"{".tag":"\#(afterCommit.rawValue)"}"# }
        guard argument["cursor"]["offset"].integer == session.content.count else {
            return #"{".tag":"incorrect_offset","correct_offset":\#(session.content.count)}"#
        }
        if mismatch(argument, body) != nil { return #"{".tag":"content_hash_mismatch"}"# }
        session.content.append(body)
        sessions[id] = session
        return nil
    }

    private func mismatch(_ argument: DropboxJSON, _ body: SymbolicContent) -> Answer? {
        guard let hash = argument["content_hash"].string, hash != body.contentHash else { return nil }
        return DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#)
    }

    // MARK: - Files

    /// Moves a file to where no upload goes.
    mutating func moveAway(_ path: String) {
        guard let file = files.removeValue(forKey: path) else { return }
        files["/Elsewhere/\(files.count)"] = file
    }

    /// Commits content by the rules of CommitInfo to `lastPath`, or says why not: a WriteError.
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
