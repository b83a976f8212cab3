// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Finds the records in a journal's bytes, and continues after any invalid bytes, so that the records after them are
/// found.
package enum JournalScan {
    package enum Step: Sendable, Equatable {
        case record(JournalRecord, length: Int)
        /// A complete record of a kind that this daemon does not know.
        case unknown(kind: UInt8, sequence: UInt64, json: [UInt8], length: Int)
        /// This many bytes are not a record: they were truncated or altered.
        case damaged(length: Int)
        /// More bytes are needed.
        case incomplete
    }

    /// With this many bytes, the answer is never `incomplete`.
    package static let longestLook = 2 * (JournalRecord.maximumLength + 4)

    /// The next step at the beginning of a journal's bytes, after the record with a given number.
    ///
    /// If `isWhole`, the bytes are the end of the journal, and no process is writing to it.
    package static func next(in bytes: ArraySlice<UInt8>, after sequence: UInt64, isWhole: Bool) -> Step {
        let (gap, overflows) = sequence.addingReportingOverflow(JournalBudget().gap)
        let highest = min(overflows ? UInt64.max : gap, UInt64(Int64.max))
        return bytes.withUnsafeBytes { next(in: $0, highest: highest, isWhole: isWhole) }
    }

    private static func next(in bytes: UnsafeRawBufferPointer, highest: UInt64, isWhole: Bool) -> Step {
        if let found = frame(in: bytes, at: 0, highest: highest) {
            let json = Array(bytes[13..<found.length - 8])
            guard let kind = JournalRecord.Kind(rawValue: bytes[4]) else {
                return .unknown(kind: bytes[4], sequence: found.sequence, json: json, length: found.length)
            }
            return .record(JournalRecord(kind: kind, sequence: found.sequence, json: json), length: found.length)
        }
        if !isWhole, mayGrow(bytes) { return .incomplete }
        let isAllThere = isWhole || bytes.count >= longestLook
        guard isAllThere else { return .incomplete }
        let end = isWhole ? bytes.count : JournalRecord.maximumLength + 4
        for position in 1..<max(1, end) where bytes[position] == 0 {
            if frame(in: bytes, at: position, highest: highest) != nil { return .damaged(length: position) }
        }
        return end > 0 ? .damaged(length: end) : .incomplete
    }

    /// Whether the bytes may be the beginning of a record.
    private static func mayGrow(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4 else { return true }
        let length = Int(integer(in: bytes, at: 0, count: 4))
        return (17...JournalRecord.maximumLength).contains(length) && bytes.count < length + 4
    }

    /// A complete record of any kind.
    private static func frame(
        in bytes: UnsafeRawBufferPointer,
        at start: Int,
        highest: UInt64
    ) -> (sequence: UInt64, length: Int)? {
        guard bytes.count - start >= 21 else { return nil }
        let length = Int(integer(in: bytes, at: start, count: 4))
        guard (17...JournalRecord.maximumLength).contains(length), bytes.count - start >= length + 4 else { return nil }
        let sequence = integer(in: bytes, at: start + 5, count: 8)
        guard (1...highest).contains(sequence), sequence == integer(in: bytes, at: start + length - 4, count: 8) else {
            return nil
        }
        return (sequence, length + 4)
    }

    private static func integer(in bytes: UnsafeRawBufferPointer, at start: Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
