// SPDX-License-Identifier: Apache-2.0

/// What is there, and its bytes.
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
        guard let header = request.header("Range"), let asked = Self.range(header, size: file.size) else {
            return reply
        }
        guard !asked.isEmpty else {
            throw .status(416, "The range \(header) is not within the \(file.size) bytes of the file.\n")
        }
        reply.status = 206
        reply.headers.append(("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(file.size)"))
        reply.body = .stored(Self.slice(file.content, asked))
        return reply
    }

    /// One range of bytes: nil when it is none that is understood, and empty when no byte of the file is in it.
    static func range(_ header: String, size: Int64) -> Range<Int64>? {
        guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (let first?, let last?):
            if last < first { return nil }
            return first >= size ? 0..<0 : first..<(last < size ? last + 1 : size)
        case (let first?, nil) where ends[1].isEmpty: return first >= size ? 0..<0 : first..<size
        case (nil, let count?) where ends[0].isEmpty: return max(0, size - count)..<size
        default: return nil
        }
    }

    private static func slice(_ extents: [StoredExtent], _ range: Range<Int64>) -> [StoredExtent] {
        var result: [StoredExtent] = []
        var position: Int64 = 0
        for extent in extents {
            let part = (position..<position + extent.length).clamped(to: range)
            if !part.isEmpty { result.append(extent.part(from: part.lowerBound - position, length: Int64(part.count))) }
            position += extent.length
        }
        return result
    }
}
