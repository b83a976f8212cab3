// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// A hand-over journal, to which any app may write anything, read as the daemon reads it.
enum JournalTarget {
    private static let admission = SessionTaskAdmission(app: "org.example.app", downloads: "/d", spool: "/s")

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var rest = Array(bytes)[...]
        var sequence: UInt64 = 0
        while !rest.isEmpty {
            let used: Int
            switch JournalScan.next(in: rest, after: sequence, isWhole: true) {
            case .incomplete: return promise(false, "nothing more comes, and more is waited for")
            case .damaged(let length): used = length
            case .unknown(_, let number, _, let length):
                used = length
                sequence = max(sequence, number)
            case .record(let record, let length):
                used = length
                sequence = max(sequence, record.sequence)
                promise(record.encoded() == Array(rest.prefix(used)), "a record is not what it was read from")
                if case .submit(let spec)? = try? record.entry() { _ = try? admission.check(spec) }
            }
            promise((1...rest.count).contains(used), "a record of \(used) bytes in \(rest.count)")
            rest = rest.dropFirst(used)
        }
    }
}
