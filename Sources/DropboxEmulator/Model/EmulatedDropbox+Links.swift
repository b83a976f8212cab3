// SPDX-License-Identifier: Apache-2.0

/// An address that accepts one file without a token.
struct TemporaryLink: Sendable {
    var account: String
    var commit: CommitInfo
    /// Seconds since 1970.
    var end: Double
}

extension EmulatedDropbox {
    mutating func makeLink(
        _ reader: inout ArgumentReader,
        _ account: String,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        var inner = try reader.object("commit_info")
        let commit = try CommitInfo(&inner)
        try inner.end()
        let duration = try reader.optionalNumber("duration") ?? 14_400
        try reader.end()
        guard (60...14_400).contains(duration) else {
            throw reader.refuse("duration", "\(duration) is not within range [60.0, 14400.0]")
        }
        let name = random.name(48)
        links[name] = TemporaryLink(account: account, commit: commit, end: now + duration)
        return ["link": .string("\(address)/\(EmulatorRoute.temporaryUpload.rawValue)/\(name)")]
    }

    /// Takes the bytes for a link: 409 if they cannot be saved there, 410 if the link was used or has expired.
    mutating func uploadByLink(
        _ request: EmulatorRequest,
        _ body: ReceivedBody,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorReply {
        guard request.method == "POST" else { throw .status(405, "A file is sent to a link with POST.\n") }
        guard request.mediaType == "application/octet-stream" else {
            throw .malformed("Bad HTTP \"Content-Type\" header. Expecting \"application/octet-stream\".\n")
        }
        let name = String(request.path.dropFirst(EmulatorRoute.temporaryUpload.rawValue.count + 2))
        guard let link = links[name], now < link.end else { throw .status(410, "The link was used or has expired.\n") }
        if body.length > rules.maximumBody { throw .malformed("The file is too large for a link.\n") }
        let id = newSession(.sequential, link.account, now)
        if let part = body.parts.first { uploads.store(part, body, in: id, at: 0, &segments) }
        defer { uploads.forget(id, &segments) }
        do throws(EmulatedAccount.WriteFault) {
            let file = try commit(link.commit, session: id, link.account, now)
            links[name] = nil
            return .json(["content-hash": .string(file.contentHash)])
        } catch {
            throw .status(409, "The file cannot be saved: \(error.error[".tag"].string ?? "").\n")
        }
    }
}
