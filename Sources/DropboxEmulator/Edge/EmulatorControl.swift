// SPDX-License-Identifier: Apache-2.0

/// The routes under `/emulator/`, with which a test configures the emulator and reads its record.
struct EmulatorControl {
    private let edge: EmulatorEdge

    init(_ edge: EmulatorEdge) {
        self.edge = edge
    }

    func answer(_ request: EmulatorRequest, _ bytes: [UInt8]) -> EmulatorReply {
        do throws(DropboxRefusal) {
            return try carryOut(request, bytes)
        } catch {
            return error.reply(dots: "")
        }
    }

    private func carryOut(_ request: EmulatorRequest, _ bytes: [UInt8]) throws(DropboxRefusal) -> EmulatorReply {
        switch (request.method, request.path) {
        case ("GET", "/emulator/record"): return .json(Self.record(edge))
        case ("POST", "/emulator/reset"):
            edge.reset()
            return .json([:])
        case ("GET", "/emulator/faults"): return .json(faults)
        case ("DELETE", "/emulator/faults"):
            edge.with { state, _ in state.dropbox.faults = DropboxFaultPlan() }
            return .json(faults)
        case ("POST", "/emulator/faults"):
            let plan = try DropboxFaultPlan(json(bytes))
            edge.with { state, _ in state.dropbox.faults = plan }
            return .json(faults)
        case ("GET", "/emulator/rules"): return .json(edge.with { state, _ in state.dropbox.rules.json })
        case ("POST", "/emulator/rules"):
            let change = try json(bytes)
            let result = edge.with { state, _ in
                Result { () throws(DropboxRefusal) in
                    try state.dropbox.rules.change(by: change)
                    return state.dropbox.rules.json
                }
            }
            return .json(try result.get())
        case ("DELETE", "/emulator/rules"):
            edge.with { state, _ in state.dropbox.restoreRules() }
            return .json(edge.with { state, _ in state.dropbox.rules.json })
        case ("POST", "/emulator/token"): return .json(try token(bytes))
        case ("POST", "/emulator/time"):
            var reader = try ArgumentReader(json(bytes), complaint: "time: ")
            let seconds = try reader.optionalSeconds("advance") ?? 0
            try reader.end()
            let now: Double? = edge.with { state, now in
                guard state.lead + seconds <= ArgumentReader.longestTime else { return nil }
                state.lead += seconds
                return now + seconds
            }
            guard let now else { throw reader.refuse("advance", "the clock would be too far ahead") }
            return .json(["now": .string(UTCTime.text(now))])
        default:
            throw .status(404, "The emulator has no \(request.method) \(request.path).\n")
        }
    }

    /// All counts, and the files of the main account.
    static func record(_ edge: EmulatorEdge) -> EmulatorJSON {
        edge.with { state, _ in
            var fields = state.dropbox.record.json
            fields["faults_used"] = .integer(Int64(state.dropbox.faults.used))
            fields["files"] = .array(
                state.dropbox.files().map { file in
                    [
                        "path": .string(file.displayPath), "size": .integer(file.size),
                        "content_hash": .string(file.contentHash), "rev": .string(file.rev), "id": .string(file.id),
                    ]
                }
            )
            return .object(fields)
        }
    }

    private var faults: EmulatorJSON { ["rules": edge.with { state, _ in state.dropbox.faults.json }] }

    private func token(_ bytes: [UInt8]) throws(DropboxRefusal) -> EmulatorJSON {
        var reader = try ArgumentReader(bytes.isEmpty ? [:] : json(bytes), complaint: "token: ")
        let account = try reader.optionalString("account") ?? EmulatedDropbox.mainAccount
        let client = try reader.optionalString("client_id") ?? "app"
        let scopes = try reader.strings("scopes")
        let lifetime = try reader.optionalSeconds("lifetime")
        try reader.end()
        return edge.with { state, now in
            state.dropbox.issueToken(account: account, client: client, scopes: scopes, lifetime: lifetime, now: now)
        }
    }

    private func json(_ bytes: [UInt8]) throws(DropboxRefusal) -> EmulatorJSON {
        guard let json = EmulatorJSON(parsing: bytes) else { throw .malformed("The body is not JSON.\n") }
        return json
    }
}
