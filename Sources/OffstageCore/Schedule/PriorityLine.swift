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

    /// How many live entries are ahead of each wanted one: one pass over the line, whatever the number wanted.
    func positions(of wanted: Set<TransferID>, isLive: (Entry) -> Bool) -> [(id: TransferID, ahead: Int)] {
        var found: [TransferID: Entry] = [:]
        for entry in heap where wanted.contains(entry.id) && isLive(entry) { found[entry.id] = entry }
        var marks = Array(found.values)
        marks.sort()
        guard let last = marks.last else { return [] }
        var counts = [Int](repeating: 0, count: marks.count)
        for entry in heap where entry < last && isLive(entry) {
            // The first mark behind the entry.
            var low = 0
            var high = marks.count - 1
            while low < high {
                let middle = (low + high) / 2
                if entry < marks[middle] { high = middle } else { low = middle + 1 }
            }
            counts[low] += 1
        }
        var ahead = 0
        return marks.indices.map { index in
            ahead += counts[index]
            return (marks[index].id, ahead)
        }
    }
}
