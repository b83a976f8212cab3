// SPDX-License-Identifier: Apache-2.0

/// A line in which the highest priority, then the lowest id, is first: a binary heap with lazy removal.
struct PriorityLine: Sendable {
    struct Entry: Sendable, Equatable, Comparable {
        var priority: Float
        var id: TransferID

        /// Less means earlier.
        static func < (left: Entry, right: Entry) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.id < right.id
        }
    }

    private var heap: [Entry] = []

    var firstStored: Entry? { heap.first }

    mutating func removeAll() { heap = [] }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The first entry that is still meant; dead ones before it are dropped.
    mutating func first(where isLive: (Entry) -> Bool) -> Entry? {
        while let entry = heap.first {
            if isLive(entry) { return entry }
            removeFirst()
        }
        return nil
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right] < heap[left] ? right : left
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }

    /// Counts the entries that `isCounted` against the entry of `id`; 0 when it is not there.
    func count(_ isCounted: (Entry, Entry) -> Bool, of id: TransferID) -> Int {
        guard let own = heap.first(where: { $0.id == id }) else { return 0 }
        return heap.reduce(0) { isCounted($1, own) ? $0 + 1 : $0 }
    }
}
