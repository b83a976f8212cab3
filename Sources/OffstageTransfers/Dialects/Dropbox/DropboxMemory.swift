// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// What an upload to Dropbox has to know again after a crash: a small JSON object that says which version it is.
struct DropboxMemory: Sendable, Equatable {
    /// An upload session, and what is known of what is in it.
    struct Session: Sendable, Equatable, Codable {
        var id: String
        /// When it was asked for: it lives for seven days.
        var began: Moment
        /// Bytes of the source that the server has said it has.
        var acknowledged: Int64
        /// The last byte that the server has named or answered for, where `acknowledged` only follows from how it refused a
        /// commit.
        var certain: Int64?
        /// Bytes of the source up to which anything was ever sent: the server cannot have more.
        var sent: Int64
        var stage: Stage = .filling
        /// True when the server has said that it is closed. Nobody has asked for that: a commit may have done it.
        var isClosed: Bool?
    }

    /// How far a session has got. It never goes back: what was sent may still arrive.
    enum Stage: String, Sendable, Codable {
        case filling
        /// A commit was asked for: if the session is gone, the file may be where it should be.
        case committing
        /// The session is gone, and it is to be looked whether the file is there.
        case looking
    }

    /// The file that the session is filled with; of another one nothing is remembered.
    var source: FileIdentity
    /// Bytes of the next chunk.
    var chunk: Int64 = DropboxMemory.smallestChunk
    /// The most bytes that the server takes in a request, when it has refused more.
    var most: Int64?
    var session: Session?
    /// Whose token it was first given, where the account was not there at the hand-over.
    var owner: String?

    static let version = 1
    /// Bytes that a chunk begins with, and falls back to.
    static let smallestChunk: Int64 = 8 << 20
    /// Bytes; a request may have 150 MiB.
    static let largestChunk: Int64 = 128 << 20
    /// How many times larger than the last one a chunk is at most.
    static let mostGrowth: Int64 = 4

    init(source: FileIdentity) { self.source = source }

    /// Reads what was kept; nil for what is of another version or file, or makes no sense.
    init?(_ bytes: [UInt8]?, source: FileIdentity) {
        guard let bytes, let read = try? ForeignJSON.decode(DropboxMemory.self, from: bytes),
            read.source == source, read.isSound
        else { return nil }
        self = read
    }

    /// The same with chunks no larger than their owner wants.
    func with(largestChunk limit: Int64?) -> DropboxMemory {
        guard let limit else { return self }
        var result = self
        result.most = min(most ?? limit, limit)
        result.chunk = min(chunk, limit)
        return result
    }

    /// As it is kept.
    var json: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init)
    }

    private var isSound: Bool {
        let block = ContentHash.blockSize
        guard (block...Self.largestChunk).contains(chunk), chunk % block == 0,
            most.map({ $0 >= block && $0 % block == 0 && chunk <= $0 }) ?? true
        else { return false }
        guard let session else { return true }
        return !session.id.isEmpty && session.acknowledged >= 0 && session.acknowledged <= session.sent
            && session.sent <= source.size && (0...session.acknowledged).contains(session.certain ?? 0)
    }
}

extension DropboxMemory: Codable {
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
        chunk = try container.decode(Int64.self, forKey: .chunk)
        most = try container.decodeIfPresent(Int64.self, forKey: .most)
        session = try container.decodeIfPresent(Session.self, forKey: .session)
        owner = try container.decodeIfPresent(String.self, forKey: .owner)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(chunk, forKey: .chunk)
        try container.encodeIfPresent(most, forKey: .most)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encodeIfPresent(owner, forKey: .owner)
    }
}
