// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The rows of deferred work as on a disk: after a crash, committed changes are there, in order, and no others.
struct SimulatedTaskStore {
    /// The action to take once a change is durable.
    enum Sequel {
        case nothing
        /// Adds the new request to the schedule.
        case add(TaskRecord)
        /// Asks the app to run the task.
        case tell(UInt64)
    }

    enum Fate: String { case ended, cancelled, replaced, dropped }

    struct Batch {
        var changes: [TaskChange]
        /// The fate of deleted requests.
        var fate: Fate
        var sequel: Sequel
    }

    private(set) var rows: [UInt64: TaskRecord] = [:]
    /// The fate of requests that are durably gone.
    private(set) var fates: [UInt64: Fate] = [:]
    /// Requests whose insertion was ever durable.
    private(set) var known: Set<UInt64> = []
    /// Batches handed over but not durable yet.
    var waiting: [Batch] = []

    /// Makes a batch durable. Returns what is wrong with it, or nil.
    mutating func commit(_ batch: Batch) -> String? {
        for change in batch.changes {
            switch change {
            case .insert(let request, _):
                for (number, row) in rows where row.phase == .pending && number != request.number {
                    guard row.request.identifier == request.identifier, row.request.app == request.app else { continue }
                    rows[number] = nil
                    if let problem = end(number, .replaced) { return problem }
                }
                rows[request.number] = TaskRecord(request: request)
                known.insert(request.number)
            case .setPhase(let number, let phase, let attempts):
                guard rows[number] != nil else { return "\(number) is \(phase), and its row is gone" }
                rows[number]?.phase = phase
                rows[number]?.attempts = attempts
            case .delete(let number):
                rows[number] = nil
                if let problem = end(number, batch.fate) { return problem }
            case .append, .setBudget, .deleteApp, .notification: break
            }
        }
        return nil
    }

    private mutating func end(_ number: UInt64, _ fate: Fate) -> String? {
        if let before = fates[number] { return "\(number) is \(fate.rawValue), and was \(before.rawValue) before" }
        fates[number] = fate
        return nil
    }

    /// Requests that were once durable, but are neither there nor have a fate.
    var lost: [UInt64] { known.filter { rows[$0] == nil && fates[$0] == nil }.sorted() }
}
