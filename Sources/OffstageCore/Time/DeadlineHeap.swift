// SPDX-License-Identifier: Apache-2.0

/// Deadlines on one clock, earliest first: 16 bytes per entry, because every queued transfer has one.
package struct DeadlineHeap: Sendable {
    private struct Entry: Sendable {
        var due: Double
        var id: TransferID
    }

    private var heap: [Entry] = []

    package init() {}

    /// The earliest time on this heap's clock, in seconds.
    package var earliest: Double? { heap.first?.due }

    package mutating func insert(_ id: TransferID, due: Double) {
        heap.append(Entry(due: due, id: id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out one entry that is due at `time`.
    package mutating func popDue(at time: Double) -> TransferID? {
        guard let first = heap.first, first.due <= time, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return first.id
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
            found.append((heap[index].due, heap[index].id))
            show(2 * index + 1, &open)
            show(2 * index + 2, &open)
        }
        return found
    }

    private mutating func siftDown() {
        var parent = 0
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
