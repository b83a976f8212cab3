// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload by tus must recover after a crash: a small JSON object with a version.
struct TusMemory: DialectMemory, Equatable {
    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    var chunk = ChunkSize(unit: TusMemory.unit)
    /// Nil until the server has been asked.
    var server: TusServer?
    /// The upload at the server; nil before it has one.
    var upload: KeptUpload?
    /// Whether an intermediary refuses PATCH, so it is sent as POST.
    var overridesMethod = false

    static let version = 1
    /// The unit of chunks in bytes; small enough for servers that accept only very short requests.
    static let unit = TusParameters.smallestChunk

    init(source: FileIdentity) { self.source = source }

    var isSound: Bool { upload?.isSound(size: source.size) ?? true }
}

extension TusMemory {
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
        upload = try container.decodeIfPresent(KeptUpload.self, forKey: .upload)
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
