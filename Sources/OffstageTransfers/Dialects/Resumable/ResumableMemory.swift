// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload by the IETF's protocol must recover after a crash: a small JSON object with a version.
struct ResumableMemory: DialectMemory, Equatable {
    /// The file that is uploaded; for another file nothing is remembered.
    var source: FileIdentity
    var interop = ResumableVersion.newest
    /// Whether the version has been agreed with the server.
    var isSettled = false
    /// The upload at the server; nil before it has one.
    var upload: KeptUpload?
    /// The most bytes of an append; nil for no known limit.
    var mostPerAppend: Int64?
    /// Consecutive answers that postponed the remainder of the file.
    @Within<Counts> var refusals: Int = 0

    private static let version = 1

    init(source: FileIdentity) { self.source = source }

    var isSound: Bool {
        guard mostPerAppend.map({ $0 > 0 }) ?? true else { return false }
        return upload?.isSound(size: source.size) ?? true
    }
}

extension ResumableMemory {
    private enum CodingKeys: String, CodingKey {
        case version = "v", source, interop, isSettled = "settled", upload, mostPerAppend, refusals
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
        upload = try container.decodeIfPresent(KeptUpload.self, forKey: .upload)
        mostPerAppend = try container.decodeIfPresent(Int64.self, forKey: .mostPerAppend)
        if let known = try container.decodeIfPresent(Within<Counts>.self, forKey: .refusals) { _refusals = known }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(source, forKey: .source)
        try container.encode(interop, forKey: .interop)
        if isSettled { try container.encode(true, forKey: .isSettled) }
        try container.encodeIfPresent(upload, forKey: .upload)
        try container.encodeIfPresent(mostPerAppend, forKey: .mostPerAppend)
        if refusals > 0 { try container.encode(refusals, forKey: .refusals) }
    }
}
