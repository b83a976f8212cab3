// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The state that an upload in a dialect must recover after a crash: a small JSON object with a version.
protocol DialectMemory: Codable, Sendable {
    /// The uploaded file; for another file nothing is remembered.
    var source: FileIdentity { get set }
    /// Whether its numbers are consistent.
    var isSound: Bool { get }
}

extension DialectMemory {
    /// Reads the stored memory; nil if it has another version or file, or is inconsistent.
    init?(_ bytes: [UInt8]?, source: FileIdentity) {
        guard let bytes, let read = try? ForeignJSON.decode(Self.self, from: bytes), read.source == source, read.isSound
        else { return nil }
        self = read
    }

    /// Reads the memory of another machine's upload of the same file, which has another device and inode there. Nil if
    /// the size or the modification time differs.
    init?(adopting bytes: [UInt8], as source: FileIdentity) {
        guard var read = try? ForeignJSON.decode(Self.self, from: bytes), read.source.size == source.size,
            read.source.modified == source.modified, read.isSound
        else { return nil }
        read.source = source
        self = read
    }

    /// The stored form.
    var json: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init)
    }
}
