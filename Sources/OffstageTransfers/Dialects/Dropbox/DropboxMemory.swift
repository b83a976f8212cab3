// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload to Dropbox must recover after a crash: a small JSON object with a version.
struct DropboxMemory: DialectMemory, Equatable {
    /// An upload session, and what is known of its contents.
    struct Session: Sendable, Equatable, Codable {
        var id: String
        /// When it was requested: it lives for seven days.
        var began: Moment
        /// Bytes of the source that the server has acknowledged.
        var acknowledged: Int64
        /// The last byte that the server has named or acknowledged, if `acknowledged` is only inferred from a refused
        /// commit.
        var certain: Int64?
        /// The end of the bytes of the source ever sent: the server cannot have more.
        var sent: Int64
        var stage: Stage = .filling
        /// True if the server has said that it is closed. No call closes a session, so a commit may have done it.
        var isClosed: Bool?
    }

    /// How far a session has advanced. It never moves back: bytes that were sent may still arrive.
    enum Stage: String, Sendable, Codable {
        case filling
        /// A commit was requested: if the session is gone, the file may be at its destination.
        case committing
        /// The session is gone; the destination must be checked for the file.
        case looking
    }

    /// The file that fills the session; for another file nothing is remembered.
    var source: FileIdentity
    var chunk = ChunkSize(unit: ContentHash.blockSize)
    var session: Session?
    /// The owner of the first token, if the account did not exist at the hand-over.
    var owner: String?

    static let version = 1

    init(source: FileIdentity) { self.source = source }

    /// The same memory with chunks no larger than the owner's limit.
    func with(largestChunk limit: Int64?) -> DropboxMemory {
        guard let limit else { return self }
        var result = self
        result.chunk.limit(to: limit)
        return result
    }

    var isSound: Bool {
        guard let session else { return true }
        return !session.id.isEmpty && session.acknowledged >= 0 && session.acknowledged <= session.sent
            && session.sent <= source.size && (0...session.acknowledged).contains(session.certain ?? 0)
    }
}

extension DropboxMemory {
    private enum CodingKeys: String, CodingKey { case version = "v", source, chunk, most, session, owner }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription: "another version"
            )
        }
        source = try container.decode(FileIdentity.self, forKey: .source)
        let chunk = ChunkSize(
            unit: ContentHash.blockSize,
            current: try container.decode(Int64.self, forKey: .chunk),
            most: try container.decodeIfPresent(Int64.self, forKey: .most)
        )
        guard let chunk else {
            throw DecodingError.dataCorruptedError(forKey: .chunk, in: container, debugDescription: "makes no sense")
        }
        self.chunk = chunk
        session = try container.decodeIfPresent(Session.self, forKey: .session)
        owner = try container.decodeIfPresent(String.self, forKey: .owner)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(chunk.current, forKey: .chunk)
        try container.encodeIfPresent(chunk.most, forKey: .most)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encodeIfPresent(owner, forKey: .owner)
    }
}
