// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Builds the requests of an upload to Dropbox.
struct DropboxRequests: Sendable {
    private let parameters: DropboxParameters
    private let source: TransferSpec.UploadSource
    /// The owner's headers, such as `Dropbox-API-Path-Root`, without those that the dialect sets.
    private let headers: [HeaderField]
    private let uploadURL: RequestURL
    private let startURL: RequestURL
    private let appendURL: RequestURL
    private let finishURL: RequestURL
    let metadataURL: RequestURL

    /// - Throws: `RequestError` for an invalid base URL.
    init(
        _ parameters: DropboxParameters,
        source: TransferSpec.UploadSource,
        headers: [HeaderField]
    ) throws(RequestError) {
        self.parameters = parameters
        self.source = source
        self.headers = headers.filter { field in
            !Self.own.contains { $0.caseInsensitiveEquals(field.name) }
        }
        uploadURL = try parameters.url()
        startURL = try RequestURL(parameters.content + "/files/upload_session/start")
        appendURL = try RequestURL(parameters.content + "/files/upload_session/append_v2")
        finishURL = try RequestURL(parameters.content + "/files/upload_session/finish")
        metadataURL = try RequestURL(parameters.api + "/files/get_metadata")
    }

    private static let own = [
        "Authorization", "Dropbox-API-Arg", "Content-Type", "Content-Length", "Transfer-Encoding",
    ]

    /// The request for a call: with the upload session if the call uses one, and with the `content_hash` of its bytes
    /// if it carries any.
    func request(_ call: DropboxCall, session: String, hash: String?, token: String) -> DialectRequest {
        let contentHash = hash.map { DropboxJSON.string($0) }
        switch call {
        case .upload:
            var argument = commit
            argument["content_hash"] = contentHash
            return upload(uploadURL, .object(argument), 0..<source.identity.size, token, isHashed: hash != nil)
        case .start(let kind):
            var argument: [String: DropboxJSON] = ["close": false]
            // Omitted for the usual kind, so that a server that knows no other kind accepts the request too.
            if kind != .sequential { argument["session_type"] = .string(kind.rawValue) }
            return upload(startURL, .object(argument), nil, token, isHashed: false)
        case .locate(let offset):
            return self.request(.append(offset..<offset), session: session, hash: hash, token: token)
        case .append(let range), .put(let range), .close(let range):
            let closes = if case .close = call { true } else { false }
            var argument: [String: DropboxJSON] = ["cursor": cursor(session, range.lowerBound), "close": .bool(closes)]
            argument["content_hash"] = contentHash
            return upload(appendURL, .object(argument), range, token, isHashed: hash != nil)
        case .finish(let range):
            var argument: [String: DropboxJSON] = [
                "cursor": cursor(session, range.lowerBound),
                "commit": .object(commit),
            ]
            argument["content_hash"] = contentHash
            return upload(finishURL, .object(argument), range, token, isHashed: hash != nil)
        case .metadata:
            let text = Self.metadataArgument(of: parameters.path)
            return DialectRequest(
                url: metadataURL,
                headers: metadataHeaders(token),
                body: RequestBody([.bytes(Array(text.utf8))])
            )
        }
    }

    /// The body of a request for the metadata of a path.
    static func metadataArgument(of path: String) -> String { DropboxArgument.text(["path": .string(path)]) }

    func metadataHeaders(_ token: String) -> [HeaderField] {
        headers + [
            HeaderField(name: "Authorization", value: "Bearer \(token)"),
            HeaderField(name: "Content-Type", value: "application/json"),
        ]
    }

    private func upload(
        _ url: RequestURL,
        _ argument: DropboxJSON,
        _ range: Range<Int64>?,
        _ token: String,
        isHashed: Bool
    ) -> DialectRequest {
        var request = DialectRequest(
            url: url,
            headers: headers + [
                HeaderField(name: "Authorization", value: "Bearer \(token)"),
                HeaderField(name: "Dropbox-API-Arg", value: DropboxArgument.text(argument)),
                HeaderField(name: "Content-Type", value: "application/octet-stream"),
            ]
        )
        if let range {
            // Even if no bytes of the file are sent: the file is checked before any of it is sent or committed.
            let count = Int64(range.count)
            request.body = RequestBody([.file(.init(source, offset: range.lowerBound, count: count))])
            request.sourceOffset = range.isEmpty ? nil : range.lowerBound
            request.provesBody = isHashed
        }
        return request
    }

    private func cursor(_ session: String, _ offset: Int64) -> DropboxJSON {
        ["session_id": .string(session), "offset": .integer(offset)]
    }

    /// CommitInfo.
    private var commit: [String: DropboxJSON] {
        var info: [String: DropboxJSON] = [
            "path": .string(parameters.path),
            "autorename": .bool(parameters.autorename),
            "mute": .bool(parameters.mute),
            "strict_conflict": .bool(parameters.strictConflict),
        ]
        switch parameters.mode {
        case .add: info["mode"] = "add"
        case .overwrite: info["mode"] = "overwrite"
        case .update(let revision): info["mode"] = [".tag": "update", "update": .string(revision)]
        }
        if let time = parameters.clientModifiedText { info["client_modified"] = .string(time) }
        return info
    }
}
