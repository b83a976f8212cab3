// SPDX-License-Identifier: Apache-2.0

/// Deadlines on one clock, earliest first: 16 bytes per entry, because every queued transfer has one.
package struct DeadlineHeap: Sendable {
    private struct Entry: Sendable {
        var due: Double
        var id: TransferID
    }

    private var heap: [Entry] = []
    /// Transfers whose entries no longer count. The first entry is never one of theirs. Their entries are dropped when
    /// they become the first, or together once there are many. So the cost of a removal does not depend on the number
    /// of entries.
    private var removed: Set<TransferID> = []

    /// So many transfers, plus a quarter of the entries, may be removed before their entries are dropped together.
    private static let fewRemoved = 64

    /// An estimate of the entries that are not repeated: the entries left after the last merge, plus one for each
    /// transfer since then that had none. Never more than there are entries.
    private var distinct = 0
    /// The newest transfer that has had an entry. Numbers only grow, so a higher one has none yet.
    private var newest = TransferID(rawValue: .min)

    /// So many entries, plus twice the distinct ones, are kept before repeated entries are merged. A transfer that is
    /// paused and resumed requests the same deadline each time.
    private static let fewRepeated = 64
    /// Deadlines of one transfer that are closer than this, in seconds, count as one: a deadline that is set again
    /// differs by a rounding error.
    private static let closeness = 0.001

    package init() {}

    /// The number of entries in memory, including entries that no longer count.
    package var count: Int { heap.count }

    /// The earliest time on this heap's clock, in seconds.
    package var earliest: Double? { heap.first?.due }

    package mutating func insert(_ id: TransferID, due: Double) {
        // It begins again. An earlier entry that has not been dropped counts again, too, and causes a needless wake.
        if !removed.isEmpty { removed.remove(id) }
        if id > newest {
            newest = id
            distinct += 1  // checked: counts entries in memory
        }
        heap.append(Entry(due: due, id: id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
        if heap.count / 2 > Self.fewRepeated / 2 + distinct { mergeRepeated() }
    }

    /// Removes one entry that is due at `time`.
    package mutating func popDue(at time: Double) -> TransferID? {
        guard let first = heap.first, first.due <= time else { return nil }
        removeFirst()
        settle()
        return first.id
    }

    /// Removes all entries of a transfer.
    package mutating func remove(_ id: TransferID) {
        guard !heap.isEmpty else { return }
        removed.insert(id)
        if removed.count > Self.fewRemoved + heap.count / 4 { dropRemoved() } else { settle() }
    }

    /// Drops outdated entries until the first one counts.
    private mutating func settle() {
        guard !removed.isEmpty else { return }
        while let first = heap.first, removed.contains(first.id) { removeFirst() }
        if heap.isEmpty { removed = [] }
    }

    private mutating func dropRemoved() {
        let gone = removed
        removed = []
        heap.removeAll { gone.contains($0.id) }
        distinct = min(distinct, heap.count)
        restoreOrder()
    }

    /// Keeps one of several equal entries: the latest, since a transfer that is woken early may not be woken again.
    private mutating func mergeRepeated() {
        if !removed.isEmpty { dropRemoved() }
        heap.sort { $0.id == $1.id ? $0.due < $1.due : $0.id < $1.id }
        var kept = 0
        var start = heap.first?.due ?? 0
        for index in heap.indices.dropFirst() {
            let entry = heap[index]
            if entry.id == heap[kept].id, entry.due - start < Self.closeness {
                heap[kept] = entry
            } else {
                kept += 1
                heap[kept] = entry
                start = entry.due
            }
        }
        heap.removeSubrange(min(kept + 1, heap.count)...)
        distinct = heap.count
        restoreOrder()
    }

    /// Turns arbitrary entries into a heap.
    private mutating func restoreOrder() {
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: parent) }
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast() else { return }
        distinct = min(distinct, heap.count)
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(from: 0)
    }

    /// The first deadlines up to a time, in order, without removing them. Visits about twice as many entries.
    package func next(upTo time: Double, limit: Int) -> [(due: Double, id: TransferID)] {
        var found: [(due: Double, id: TransferID)] = []
        var open = DeadlineHeap()
        /// The entries of `open` are indices into this heap.
        func show(_ index: Int, _ open: inout DeadlineHeap) {
            guard index < heap.count, heap[index].due <= time else { return }
            open.insert(TransferID(rawValue: Int64(index)), due: heap[index].due)
        }
        show(0, &open)
        while found.count < limit, let first = open.popDue(at: time) {
            let index = Int(first.rawValue)
            if !removed.contains(heap[index].id) { found.append((heap[index].due, heap[index].id)) }
            show(2 * index + 1, &open)
            show(2 * index + 2, &open)
        }
        return found
    }

    private mutating func siftDown(from index: Int) {
        var parent = index
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let child = left + 1 < heap.count && heap[left + 1].due < heap[left].due ? left + 1 : left
            guard heap[child].due < heap[parent].due else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
