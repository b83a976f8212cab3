// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// Some records of a journal, decoded and judged.
struct JournalChunk: Sendable {
    enum Item: Sendable {
        case task(HandOverBatch.Task)
        /// Anything but a submission.
        case entry(JournalEntry)
        /// It cannot be taken in; the task's key is there when it could be made out.
        case refused(SessionTaskKey?, TransferFailure)
    }

    /// Those that are not in the store yet, each with its number.
    var items: [(sequence: UInt64, item: Item)] = []
    /// How many records there were.
    private(set) var count = 0
    /// The byte behind the last one.
    private(set) var end: Int64
    /// The number of the last one.
    private(set) var sequence: UInt64

    init(end: Int64, sequence: UInt64) {
        self.end = end
        self.sequence = sequence
    }

    mutating func add(_ record: JournalRecord, length: Int, _ admission: TaskAdmission) {
        count += 1
        end += Int64(length)
        guard record.sequence > sequence else { return }
        sequence = record.sequence
        items.append((record.sequence, Self.item(of: record, admission)))
    }

    private static func item(of record: JournalRecord, _ admission: TaskAdmission) -> Item {
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

    /// As much of a submission as tells which task it is.
    private struct Keyed: Decodable {
        var sessionTask: SessionTaskKey?
    }
}
