// SPDX-License-Identifier: Apache-2.0

/// Reads metadata and content.
extension EmulatedDropbox {
    func getMetadata(_ reader: inout ArgumentReader, _ account: String) throws(DropboxRefusal) -> EmulatorJSON {
        let path = try reader.string("path")
        for name in ["include_media_info", "include_deleted", "include_has_explicit_shared_members"] {
            _ = try reader.bool(name, default: false)
        }
        _ = reader.any("include_property_groups")
        try reader.end()
        switch accounts[account]?.find(path) ?? .nothing {
        case .file(let file): return .tag("file", file.metadata(withHash: rules.tellsContentHash).object ?? [:])
        case .folder(let folder):
            return .tag(
                "folder",
                [
                    "name": .string(folder.path.name), "id": .string(folder.id),
                    "path_lower": .string(folder.path.key), "path_display": .string(folder.path.display),
                ]
            )
        case .root: throw reader.refuse("path", "The root folder is unsupported.")
        case .nothing: throw .route(.tag("path", nesting: .tag("not_found")))
        case .malformed: throw .route(.tag("path", nesting: .tag("malformed_path")))
        }
    }

    func download(
        _ reader: inout ArgumentReader,
        _ request: EmulatorRequest,
        _ account: String
    ) throws(DropboxRefusal) -> EmulatorReply {
        let path = try reader.string("path")
        let rev = try reader.optionalString("rev")
        try reader.end()
        let file: EmulatedFile
        switch accounts[account]?.find(rev.map { "rev:\($0)" } ?? path) ?? .nothing {
        case .file(let found): file = found
        case .folder, .root: throw .route(.tag("path", nesting: .tag("not_file")))
        case .nothing: throw .route(.tag("path", nesting: .tag("not_found")))
        case .malformed: throw .route(.tag("path", nesting: .tag("malformed_path")))
        }
        var reply = EmulatorReply(
            status: 200,
            headers: [
                ("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"), ("ETag", "W/\"\(file.rev)\""),
                ("Dropbox-API-Result", file.metadata(withHash: rules.tellsContentHash).headerText),
            ]
        )
        if let known = request.header("If-None-Match"), known == "W/\"\(file.rev)\"" {
            reply.status = 304
            return reply
        }
        if file.content.contains(where: { $0.segment == nil }) {
            throw .status(501, "This emulator discards what it receives, so there is nothing to download.\n")
        }
        reply.body = .stored(file.content)
        guard let header = request.header("Range"), let asked = EmulatorRequest.range(header, size: file.size) else {
            return reply
        }
        guard !asked.isEmpty else {
            throw .status(416, "The range \(header) is not within the \(file.size) bytes of the file.\n")
        }
        reply.status = 206
        reply.headers.append(("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(file.size)"))
        reply.body = .stored(file.content.slice(asked))
        return reply
    }
}
