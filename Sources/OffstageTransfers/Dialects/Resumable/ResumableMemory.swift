// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload by the IETF's protocol must recover after a crash: a small JSON object with a version.
struct ResumableMemory: Sendable, Equatable {
    /// An upload that the server lets be resumed.
    struct Upload: Sendable, Equatable, Codable {
        /// Where it is resumed. Whoever knows it may be able to change the upload.
        var url: RequestURL
        /// Bytes of the source that the server has acknowledged.
        var acknowledged: Int64
        /// The end of the bytes of the source ever sent: the server cannot have more.
        var sent: Int64
    }

    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    var interop = ResumableVersion.newest
    /// Whether the version has been settled with the server.
    var isSettled = false
    var upload: Upload?
    /// The most bytes of an append; nil for no known limit.
    var mostPerAppend: Int64?

    private static let version = 1
    /// Bytes of the longest upload URL that is accepted.
    static let longestURL = 2048

    init(source: FileIdentity) { self.source = source }

    /// Reads the stored memory; nil if it has another version or file, or is inconsistent.
    init?(_ bytes: [UInt8]?, source: FileIdentity) {
        guard let bytes, let read = try? ForeignJSON.decode(ResumableMemory.self, from: bytes),
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
        guard mostPerAppend.map({ $0 > 0 }) ?? true else { return false }
        guard let upload else { return true }
        return upload.acknowledged >= 0 && upload.acknowledged <= upload.sent && upload.sent <= source.size
    }
}

extension ResumableMemory: Codable {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, interop, isSettled = "settled", upload, mostPerAppend
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
        interop = try container.decode(ResumableVersion.self, forKey: .interop)
        isSettled = try container.decodeIfPresent(Bool.self, forKey: .isSettled) ?? false
        upload = try container.decodeIfPresent(Upload.self, forKey: .upload)
        mostPerAppend = try container.decodeIfPresent(Int64.self, forKey: .mostPerAppend)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(interop, forKey: .interop)
        if isSettled { try container.encode(true, forKey: .isSettled) }
        try container.encodeIfPresent(upload, forKey: .upload)
        try container.encodeIfPresent(mostPerAppend, forKey: .mostPerAppend)
    }
}
