// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// A series of records of a journal, decoded and checked.
struct JournalChunk: Sendable {
    enum Item: Sendable {
        case task(HandOverBatch.Task)
        /// An entry other than a submission.
        case entry(JournalEntry)
        /// A task that cannot be imported. Its key is included if it could be decoded.
        case refused(SessionTaskKey?, TransferFailure)
    }

    /// The records that are not in the store yet, each with its number.
    var items: [(sequence: UInt64, item: Item)] = []
    /// The number of records, including stretches that are not records.
    private(set) var count = 0
    /// The number of bytes that are not part of a record.
    private(set) var damaged: Int64 = 0
    /// Why the remaining records cannot be read.
    var trouble: Trouble?

    enum Trouble: Sendable, Equatable {
        /// `errno`: the problem may pass.
        case unreadable(Int32)
        /// The journal is longer than any app's.
        case tooLong
    }

    /// The offset after the last record.
    private(set) var end: Int64
    /// The number of the last record.
    private(set) var sequence: UInt64

    init(end: Int64, sequence: UInt64) {
        self.end = end
        self.sequence = sequence
    }

    mutating func add(_ step: JournalScan.Step, length: Int, _ admission: SessionTaskAdmission) {
        count += 1
        end += Int64(length)
        switch step {
        case .record(let record, _):
            guard record.sequence > sequence else { return }
            sequence = record.sequence
            items.append((record.sequence, Self.item(of: record, admission)))
        case .unknown(let kind, let number, let json, _):
            guard number > sequence else { return }
            sequence = number
            let key = (try? WireCoding.decode(Keyed.self, from: json))?.sessionTask
            let text = "it is a record of the unknown kind \(kind): use the same version of library and daemon"
            items.append((number, .refused(key, TransferFailure(.internalError, text))))
        case .damaged(let length): damaged += Int64(length)  // checked: bytes of one reading
        case .incomplete: break
        }
    }

    private static func item(of record: JournalRecord, _ admission: SessionTaskAdmission) -> Item {
        do {
            switch try record.entry() {
            case .submit(let spec):
                do throws(RequestError) {
                    _ = try admission.check(spec)
                    return .task(.init(spec: spec, json: record.kind == .submit ? record.json : try encoded(spec)))
                } catch {
                    let detail = String(error.sentence.dropLast())
                    return .refused(spec.sessionTask, TransferFailure(.internalError, detail))
                }
            case let entry: return .entry(entry)
            }
        } catch {
            let key = (try? WireCoding.decode(Keyed.self, from: record.json))?.sessionTask
            return .refused(key, TransferFailure(.internalError, "what was handed over cannot be read"))
        }
    }

    private static func encoded(_ spec: TransferSpec) throws(RequestError) -> [UInt8] {
        do { return try WireCoding.encode(spec) } catch { throw .invalidValue("The task cannot be written") }
    }

    /// The part of a submission that identifies its task.
    private struct Keyed: Decodable {
        var sessionTask: SessionTaskKey?
    }
}
