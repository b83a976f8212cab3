// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload to Google Cloud Storage must recover after a crash: a small JSON object with a version.
struct GCSMemory: DialectMemory, Equatable {
    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    var chunk = ChunkSize(unit: GCSMemory.unit)
    /// The upload at the server; nil before it has one.
    var upload: KeptUpload?
    /// Bytes at the beginning of the file whose checksum is known, and that checksum.
    var hashed: Int64 = 0
    var checksum = CRC32C()
    /// Whether a lost upload may have made the object: the existing object then shows which upload made it.
    var mayBeThere = false

    private static let version = 1
    /// Every chunk except the last is a multiple of this many bytes.
    static let unit: Int64 = 256 << 10

    init(source: FileIdentity) { self.source = source }

    var isSound: Bool {
        (0...max(0, source.size)).contains(hashed) && upload?.isSound(size: source.size) ?? true
    }
}

extension GCSMemory {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, chunk, most, upload, hashed, checksum = "crc32c", mayBeThere
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
        upload = try container.decodeIfPresent(KeptUpload.self, forKey: .upload)
        hashed = try container.decode(Int64.self, forKey: .hashed)
        checksum = CRC32C(value: try container.decode(UInt32.self, forKey: .checksum))
        mayBeThere = try container.decodeIfPresent(Bool.self, forKey: .mayBeThere) ?? false
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(chunk.current, forKey: .chunk)
        try container.encodeIfPresent(chunk.most, forKey: .most)
        try container.encodeIfPresent(upload, forKey: .upload)
        try container.encode(hashed, forKey: .hashed)
        try container.encode(checksum.value, forKey: .checksum)
        if mayBeThere { try container.encode(true, forKey: .mayBeThere) }
    }
}
