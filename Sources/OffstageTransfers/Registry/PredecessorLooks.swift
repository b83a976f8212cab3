// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Records which transfers come after which, which must be examined because of that, and which have completed since.
/// Grows with the number of transfers that wait for another.
package struct PredecessorLooks {
    private var dependents = Dependents()
    private var awaiting: [TransferID: Set<TransferID>] = [:]
    /// Transfers that have completed since the last examination: they may be forgotten before the next one.
    private var completed: Set<TransferID> = []
    /// Whether an examination is in progress or about to begin.
    package private(set) var isLooking = false

    package var isEmpty: Bool { awaiting.isEmpty }

    package init() {}

    /// Adds a transfer that comes after these and must be examined for them.
    package mutating func add(_ id: TransferID, after predecessors: [TransferID]) {
        dependents.add(id, after: predecessors)
        awaiting[id, default: []].formUnion(predecessors)
    }

    /// Records that a transfer has ended, begins again after its end, or was forgotten.
    ///
    /// - Returns: whether a transfer comes after it and must be examined.
    package mutating func changed(_ id: TransferID, hasCompleted: Bool) -> Bool {
        let waiting = dependents.after(id)
        guard !waiting.isEmpty else { return false }
        if hasCompleted { completed.insert(id) }
        for one in waiting { awaiting[one, default: []].insert(id) }
        return true
    }

    /// Records that a transfer now waits only for these.
    package mutating func keep(_ predecessors: [TransferID], of id: TransferID) {
        dependents.keep(predecessors, of: id)
    }

    /// Begins an examination; false if one has already begun.
    package mutating func begin() -> Bool {
        defer { isLooking = true }
        return !isLooking
    }

    /// Removes some of the transfers that must be examined, each with the predecessors to examine it for.
    package mutating func removeFirst(_ count: Int) -> [(id: TransferID, predecessors: Set<TransferID>)] {
        let some = awaiting.prefix(count).map { (id: $0.key, predecessors: $0.value) }
        for one in some { awaiting[one.id] = nil }
        return some
    }

    package mutating func end() {
        completed = []
        isLooking = false
    }

    package func hasCompleted(_ id: TransferID) -> Bool { completed.contains(id) }
}
