// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Who comes after which transfer, who is to be looked at for that, and what has completed since. Grows with those that wait
/// for another.
package struct PredecessorLooks {
    private var dependents = Dependents()
    private var awaiting: [TransferID: Set<TransferID>] = [:]
    /// What has completed since the last look: it may be forgotten before somebody has looked.
    private var completed: Set<TransferID> = []
    /// Whether somebody looks, or is about to.
    package private(set) var isLooking = false

    package var isEmpty: Bool { awaiting.isEmpty }

    package init() {}

    /// A transfer comes after these, and is to be looked at for them.
    package mutating func add(_ id: TransferID, after predecessors: [TransferID]) {
        dependents.add(id, after: predecessors)
        awaiting[id, default: []].formUnion(predecessors)
    }

    /// A transfer has ended, begins anew after its end, or was forgotten.
    ///
    /// - Returns: whether somebody comes after it, and is to be looked at.
    package mutating func changed(_ id: TransferID, hasCompleted: Bool) -> Bool {
        let waiting = dependents.after(id)
        guard !waiting.isEmpty else { return false }
        if hasCompleted { completed.insert(id) }
        for one in waiting { awaiting[one, default: []].insert(id) }
        return true
    }

    /// A transfer waits for these alone.
    package mutating func keep(_ predecessors: [TransferID], of id: TransferID) {
        dependents.keep(predecessors, of: id)
    }

    /// Whoever is asked first is the one to look.
    package mutating func begin() -> Bool {
        defer { isLooking = true }
        return !isLooking
    }

    /// Some of those that are to be looked at, and for whom.
    package mutating func take(_ count: Int) -> [(id: TransferID, predecessors: Set<TransferID>)] {
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
