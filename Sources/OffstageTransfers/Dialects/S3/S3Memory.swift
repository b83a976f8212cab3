// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The state that an upload to S3 must recover after a crash: a small JSON object with a version. It does not include
/// the arrived parts: the server lists them.
struct S3Memory: DialectMemory, Equatable {
    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    /// The region where the bucket turned out to be; nil for the owner's.
    var region: String?
    var upload: Multipart?
    /// Whether the request that makes the object may have been sent: the existing object then shows which upload made
    /// it.
    var mayBeThere = false

    /// A multipart upload that the server keeps.
    struct Multipart: Sendable, Equatable {
        var id: String
        var partSize: Int64
        /// Bytes of the parts that the server has acknowledged.
        var stored: Int64
    }

    static let version = 1
    /// The longest accepted ID, in bytes. AWS's have 128.
    static let longestID = 512

    init(source: FileIdentity) { self.source = source }

    var isSound: Bool {
        guard region.map(S3Endpoint.isRegion) ?? true else { return false }
        guard let upload else { return true }
        return (1...Self.longestID).contains(upload.id.utf8.count) && (0...source.size).contains(upload.stored)
            && PartPlan(size: source.size, partSize: upload.partSize) != nil
    }
}

extension S3Memory: Codable {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, region, id, partSize, stored, mayBeThere
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription: "another version"
            )
        }
        self.init(source: try container.decode(FileIdentity.self, forKey: .source))
        region = try container.decodeIfPresent(String.self, forKey: .region)
        mayBeThere = try container.decodeIfPresent(Bool.self, forKey: .mayBeThere) ?? false
        if let id = try container.decodeIfPresent(String.self, forKey: .id) {
            upload = Multipart(
                id: id,
                partSize: try container.decode(Int64.self, forKey: .partSize),
                stored: try container.decode(Int64.self, forKey: .stored)
            )
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encodeIfPresent(region, forKey: .region)
        if mayBeThere { try container.encode(true, forKey: .mayBeThere) }
        guard let upload else { return }
        try container.encode(upload.id, forKey: .id)
        try container.encode(upload.partSize, forKey: .partSize)
        try container.encode(upload.stored, forKey: .stored)
    }
}
