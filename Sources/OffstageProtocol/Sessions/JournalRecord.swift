// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One record of a hand-over journal.
///
/// Layout, integers big-endian: length of the following bytes (4), kind (1), sequence (8), JSON, the sequence again
/// (8). The client appends whole records while it holds `flock(LOCK_EX)` on its descriptor. It first checks that the
/// file still has its owner's write permission: the daemon revokes that, under the same lock, when it reads a journal
/// for the last time. A record that a crash truncated, or whose end does not match its beginning, is invalid.
package struct JournalRecord: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        /// The JSON is a `TransferSpec`, stored unchanged.
        case submit = 1
        /// The JSON is a `JournalEntry`.
        case entry = 2
    }

    package var kind: Kind
    /// Counts up from 1 in each journal, and identifies records that are already in the store, so that none is imported
    /// twice.
    package var sequence: UInt64
    package var json: [UInt8]

    /// The longest record after its length field, in bytes: a request with a very long list of headers.
    package static let maximumLength = 1 << 20

    package init(kind: Kind, sequence: UInt64, json: [UInt8]) {
        self.kind = kind
        self.sequence = sequence
        self.json = json
    }

    package init(_ entry: JournalEntry, sequence: UInt64) throws {
        self.sequence = sequence
        if case .submit(let spec) = entry {
            kind = .submit
            json = try spec.json()
        } else {
            kind = .entry
            json = try WireCoding.encode(entry)
        }
    }

    /// The record's content.
    package func entry() throws -> JournalEntry {
        switch kind {
        case .submit: .submit(try WireCoding.decode(TransferSpec.self, from: json))
        case .entry: try WireCoding.decode(JournalEntry.self, from: json)
        }
    }

    package func encoded() -> [UInt8] {
        let length = 1 + 8 + json.count + 8
        return [UInt8](unsafeUninitializedCapacity: length + 4) { buffer, count in
            for index in 0..<4 { buffer[index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
            buffer[4] = kind.rawValue
            for index in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: sequence >> UInt64(56 - 8 * index))
                buffer[5 + index] = byte
                buffer[13 + json.count + index] = byte
            }
            _ = UnsafeMutableBufferPointer(rebasing: buffer[13..<13 + json.count]).update(from: json)
            count = length + 4
        }
    }

    /// Parses the record at the beginning of the bytes.
    ///
    /// - Returns: the record and its length in bytes; nil when there is no complete record.
    package static func first(in bytes: ArraySlice<UInt8>) -> (record: JournalRecord, length: Int)? {
        guard bytes.count >= 21 else { return nil }
        let start = bytes.startIndex
        func integer(at offset: Int, count: Int) -> UInt64 {
            bytes[start + offset..<start + offset + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        let length = Int(integer(at: 0, count: 4))
        guard (17...maximumLength).contains(length), bytes.count >= length + 4,
            let kind = Kind(rawValue: bytes[start + 4])
        else { return nil }
        let sequence = integer(at: 5, count: 8)
        guard sequence == integer(at: length - 4, count: 8) else { return nil }
        let json = Array(bytes[start + 13..<start + length - 4])
        return (JournalRecord(kind: kind, sequence: sequence, json: json), length + 4)
    }
}
