// SPDX-License-Identifier: Apache-2.0

/// Deadlines on one clock, earliest first: 16 bytes per entry, because every queued transfer has one.
package struct DeadlineHeap: Sendable {
    private struct Entry: Sendable {
        var due: Double
        var id: TransferID
    }

    private var heap: [Entry] = []
    /// Those whose entries count no more. The first entry is never one of theirs; the others are dropped when they come
    /// to be the first, or together once there are many. So removing costs the same however many entries there are.
    private var removed: Set<TransferID> = []

    /// So many may be removed, besides a quarter of the entries, before theirs are dropped together.
    private static let fewRemoved = 64

    package init() {}

    /// How many entries are in memory, including those that count no more.
    package var count: Int { heap.count }

    /// The earliest time on this heap's clock, in seconds.
    package var earliest: Double? { heap.first?.due }

    package mutating func insert(_ id: TransferID, due: Double) {
        // It begins again. An earlier entry that has not been dropped counts again, too: somebody is woken for nothing.
        if !removed.isEmpty { removed.remove(id) }
        heap.append(Entry(due: due, id: id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out one entry that is due at `time`.
    package mutating func popDue(at time: Double) -> TransferID? {
        guard let first = heap.first, first.due <= time else { return nil }
        removeFirst()
        settle()
        return first.id
    }

    /// Takes out all entries of a transfer.
    package mutating func remove(_ id: TransferID) {
        guard !heap.isEmpty else { return }
        removed.insert(id)
        if removed.count > Self.fewRemoved + heap.count / 4 { dropRemoved() } else { settle() }
    }

    /// Drops entries that count no more until the first one counts.
    private mutating func settle() {
        guard !removed.isEmpty else { return }
        while let first = heap.first, removed.contains(first.id) { removeFirst() }
        if heap.isEmpty { removed = [] }
    }

    private mutating func dropRemoved() {
        let gone = removed
        removed = []
        heap.removeAll { gone.contains($0.id) }
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: parent) }
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        siftDown(from: 0)
    }

    /// The first deadlines up to a time, in order, without taking them out: looks at about twice as many entries.
    package func next(upTo time: Double, limit: Int) -> [(due: Double, id: TransferID)] {
        var found: [(due: Double, id: TransferID)] = []
        var open = DeadlineHeap()
        /// The entries of `open` are places in this heap.
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
