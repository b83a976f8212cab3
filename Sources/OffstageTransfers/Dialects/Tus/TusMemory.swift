// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload by tus must recover after a crash: a small JSON object with a version.
struct TusMemory: Sendable, Equatable {
    /// An upload that the server has created.
    struct Upload: Sendable, Equatable, Codable {
        /// Where the server keeps it. Whoever knows it may be able to change the upload.
        var url: RequestURL
        /// Bytes of the source that the server has acknowledged.
        var acknowledged: Int64
        /// The end of the bytes of the source ever sent: the server cannot have more.
        var sent: Int64
        /// Until when the server keeps an unfinished upload (`Upload-Expires`), as it was said.
        var expires: String?
    }

    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    var chunk = ChunkSize(unit: TusMemory.unit)
    /// Nil until the server has been asked.
    var server: TusServer?
    var upload: Upload?
    /// Whether something on the way refuses PATCH, so that it is sent as POST.
    var overridesMethod = false

    static let version = 1
    /// Bytes; small enough for servers that accept very short requests only.
    static let unit = TusParameters.smallestChunk
    /// Bytes of the longest upload URL that is accepted.
    static let longestURL = 2048

    init(source: FileIdentity) { self.source = source }

    /// Reads the stored memory; nil if it has another version or file, or is inconsistent.
    init?(_ bytes: [UInt8]?, source: FileIdentity) {
        guard let bytes, let read = try? ForeignJSON.decode(TusMemory.self, from: bytes),
            read.source == source, read.isSound
        else { return nil }
        self = read
    }

    /// The stored form.
    var json: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init)
    }

    private var isSound: Bool {
        guard let upload else { return true }
        return upload.acknowledged >= 0 && upload.acknowledged <= upload.sent && upload.sent <= source.size
    }
}

extension TusMemory: Codable {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, chunk, most, server, upload, overridesMethod = "override"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let chunk = ChunkSize(
            unit: Self.unit,
            current: try container.decode(Int64.self, forKey: .chunk),
            most: try container.decodeIfPresent(Int64.self, forKey: .most)
        )
        guard try container.decode(Int.self, forKey: .version) == Self.version, let chunk else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription: "another version, or no sense"
            )
        }
        self.init(source: try container.decode(FileIdentity.self, forKey: .source))
        self.chunk = chunk
        server = try container.decodeIfPresent(TusServer.self, forKey: .server)
        upload = try container.decodeIfPresent(Upload.self, forKey: .upload)
        overridesMethod = try container.decodeIfPresent(Bool.self, forKey: .overridesMethod) ?? false
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(chunk.current, forKey: .chunk)
        try container.encodeIfPresent(chunk.most, forKey: .most)
        try container.encodeIfPresent(server, forKey: .server)
        try container.encodeIfPresent(upload, forKey: .upload)
        if overridesMethod { try container.encode(true, forKey: .overridesMethod) }
    }
}
