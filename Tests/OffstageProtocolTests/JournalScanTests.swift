// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol
import Testing

@Suite struct `Records are found whatever lies between them` {
    private func record(_ sequence: UInt64, _ length: Int = 10) -> [UInt8] {
        JournalRecord(kind: .entry, sequence: sequence, json: [UInt8](repeating: 0x20, count: length)).encoded()
    }

    /// The numbers of the found records, and the number of skipped bytes.
    private func scan(_ bytes: [UInt8]) -> (found: [UInt64], damaged: Int) {
        var (found, damaged, rest, last) = ([UInt64](), 0, bytes[...], UInt64(0))
        while !rest.isEmpty {
            switch JournalScan.next(in: rest, after: last, isWhole: true) {
            case .record(let record, let length):
                found.append(record.sequence)
                last = record.sequence
                rest = rest.dropFirst(length)
            case .unknown(_, let sequence, _, let length):
                last = sequence
                rest = rest.dropFirst(length)
            case .damaged(let length):
                damaged += length
                rest = rest.dropFirst(length)
            case .incomplete: return (found, -1)
            }
        }
        return (found, damaged)
    }

    @Test func `a record of an unknown kind is passed over`() {
        var unknown = record(2)
        unknown[4] = 77
        #expect(scan(record(1) + unknown + record(3)).found == [1, 3])
        #expect(
            JournalScan.next(in: unknown[...], after: 1, isWhole: false)
                == .unknown(kind: 77, sequence: 2, json: [UInt8](repeating: 0x20, count: 10), length: unknown.count)
        )
    }

    @Test func `a record that was cut off is passed over`() {
        for cut in 1..<record(2).count {
            let result = scan(record(1) + record(2).prefix(cut) + record(3) + record(4))
            #expect(result.found == [1, 3, 4], "cut after \(cut)")
            #expect(result.damaged == cut)
        }
    }

    @Test func `a length that is none, or reaches beyond the end, hides nothing`() {
        for head: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0x0F, 0xFF, 0xFF], [0, 0, 0, 16]] {
            let result = scan(record(1) + head + record(2))
            #expect(result.found == [1, 2])
            #expect(result.damaged == 4)
        }
    }

    @Test func `a number that no journal comes to is damage`() {
        for sequence in [UInt64.max, UInt64(Int64.max), 1 << 40, 0] {
            #expect(scan(record(1) + record(sequence) + record(2)).found == [1, 2], "\(sequence)")
        }
    }

    @Test func `any bytes are gone through to their end`() {
        var state: UInt64 = 13
        for round in 0..<200 {
            let bytes = (0..<round * 7).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 40)
            }
            let result = scan(bytes + record(5))
            #expect(result.found.last == 5)
            #expect(result.damaged >= 0)
        }
    }

    @Test func `what may still be written is waited for`() {
        let bytes = record(1)
        for cut in 0..<bytes.count {
            #expect(JournalScan.next(in: bytes[..<cut], after: 0, isWhole: false) == .incomplete)
        }
        #expect(JournalScan.next(in: [], after: 0, isWhole: true) == .incomplete)
    }

    @Test func `a long stretch of zeros is passed over in pieces`() {
        let zeros = [UInt8](repeating: 0, count: JournalScan.longestLook)
        #expect(
            JournalScan.next(in: zeros[...], after: 0, isWhole: false)
                == .damaged(length: JournalRecord.maximumLength + 4)
        )
    }
}
