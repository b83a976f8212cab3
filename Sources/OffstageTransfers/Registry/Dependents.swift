// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Records which transfers come after which. Grows with the number of transfers that wait for another, not with the
/// number on record.
struct Dependents {
    private var waiting: [TransferID: Set<TransferID>] = [:]
    private var awaited: [TransferID: Set<TransferID>] = [:]

    mutating func add(_ id: TransferID, after predecessors: [TransferID]) {
        guard !predecessors.isEmpty else { return }
        awaited[id, default: []].formUnion(predecessors)
        for predecessor in predecessors { waiting[predecessor, default: []].insert(id) }
    }

    /// The transfers that wait for this one.
    func after(_ predecessor: TransferID) -> Set<TransferID> { waiting[predecessor] ?? [] }

    /// Records that a transfer now waits only for these.
    mutating func keep(_ predecessors: [TransferID], of id: TransferID) {
        guard let known = awaited[id], known.count > predecessors.count else { return }
        let left = Set(predecessors)
        for predecessor in known.subtracting(left) {
            waiting[predecessor]?.remove(id)
            if waiting[predecessor]?.isEmpty == true { waiting[predecessor] = nil }
        }
        awaited[id] = left.isEmpty ? nil : left
    }
}
