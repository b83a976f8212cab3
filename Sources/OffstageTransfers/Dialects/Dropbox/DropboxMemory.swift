// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload to Dropbox must recover after a crash: a small JSON object with a version.
struct DropboxMemory: DialectMemory, Equatable {
    /// An upload session, and what is known about its contents.
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
        /// True if the server has reported the session as closed although no call of ours closed it: a commit may have.
        var isClosed: Bool?
        /// The bytes of the source that the server has acknowledged in a concurrent session; nil for a sequential one.
        var pieces: ByteSpans?

        var kind: DropboxSessionKind { pieces == nil ? .sequential : .concurrent }

        /// Records that the server has acknowledged bytes of a concurrent session.
        mutating func took(_ range: Range<Int64>) {
            pieces?.insert(range)
            acknowledged = pieces?.count ?? acknowledged
            sent = max(sent, range.upperBound)
        }
    }

    /// How far a session has advanced. It never moves back: bytes that were sent may still arrive.
    enum Stage: String, Sendable, Codable {
        case filling
        /// The last bytes of a concurrent session were sent: it may be closed.
        case closing
        /// A concurrent session has all bytes, and is closed.
        case closed
        /// A commit was requested: if the session is gone, the file may be at its destination.
        case committing
        /// The session is gone; the destination must be checked for the file.
        case looking
    }

    /// The file that fills the session; for another file nothing is remembered.
    var source: FileIdentity
    var chunk = ChunkSize(unit: ContentHash.blockSize)
    var session: Session?
    /// True once the server has turned out not to support concurrent sessions, or the connection not to sustain one.
    /// False once a concurrent session has accepted pieces and then refused one as a sequential session would: the next
    /// time, this becomes true.
    var isSequentialOnly: Bool?
    /// The most pieces that are sent at once: with more, no whole piece got through. Nil for no limit.
    var lanes: Int?
    /// Consecutive attempts in which not even a piece of one block in one lane got through; nil for none.
    var inVain: Int?
    /// The owner of the first token, if the account did not exist at the hand-over.
    var owner: String?

    /// The first version has no concurrent sessions. A daemon that knows only that version starts again, instead of
    /// taking such a session for a sequential one.
    private static let versions: [DropboxSessionKind: Int] = [.sequential: 1, .concurrent: 2]

    private var version: Int? { Self.versions[session?.kind ?? .sequential] }

    init(source: FileIdentity) { self.source = source }

    /// The same memory with chunks no larger than the owner's limit.
    func with(largestChunk limit: Int64?) -> DropboxMemory {
        guard let limit else { return self }
        var result = self
        result.chunk.limit(to: limit)
        return result
    }

    var isSound: Bool {
        guard DropboxParameters.connectionCounts.contains(lanes ?? 1), inVain ?? 0 >= 0 else { return false }
        guard let session else { return true }
        return !session.id.isEmpty && session.acknowledged >= 0 && session.acknowledged <= session.sent
            && session.sent <= source.size && (0...session.acknowledged).contains(session.certain ?? 0)
            && isOnGrid(session)
    }

    /// Whether the pieces of a concurrent session begin and end where blocks do.
    private func isOnGrid(_ session: Session) -> Bool {
        guard let pieces = session.pieces else { return ![.closing, .closed].contains(session.stage) }
        return pieces.spans.allSatisfy { span in
            BlockDigests.isOnGrid(span.lowerBound)
                && (BlockDigests.isOnGrid(span.upperBound) || span.upperBound == source.size)
        }
    }
}

extension DropboxMemory {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, chunk, most, session, sequentialOnly, lanes, inVain, owner
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
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
        // If there are very many pieces, some are not stored.
        if let pieces = session?.pieces { session?.acknowledged = pieces.count }
        isSequentialOnly = try container.decodeIfPresent(Bool.self, forKey: .sequentialOnly)
        lanes = try container.decodeIfPresent(Int.self, forKey: .lanes)
        inVain = try container.decodeIfPresent(Int.self, forKey: .inVain)
        owner = try container.decodeIfPresent(String.self, forKey: .owner)
        guard try container.decode(Int.self, forKey: .version) == version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription: "another version"
            )
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(chunk.current, forKey: .chunk)
        try container.encodeIfPresent(chunk.most, forKey: .most)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encodeIfPresent(isSequentialOnly, forKey: .sequentialOnly)
        try container.encodeIfPresent(lanes, forKey: .lanes)
        try container.encodeIfPresent(inVain, forKey: .inVain)
        try container.encodeIfPresent(owner, forKey: .owner)
    }
}
