// SPDX-License-Identifier: Apache-2.0

/// What a heap orders: an element of an array that knows its place in the heap it is in.
protocol TaskScheduleHeapElement {
    /// The index in the heap's array; not meant while it is in none.
    var position: Int32 { get set }
    func isBefore(_ other: Self) -> Bool
}

/// A binary heap of indices into an array of elements, of which each knows its position: so it can leave from anywhere
/// in O(log n), and nothing stale stays behind. 4 bytes an entry.
struct TaskScheduleHeap: Sendable {
    private(set) var items: [Int32] = []

    var first: Int32? { items.first }
    var isEmpty: Bool { items.isEmpty }

    mutating func insert<Element: TaskScheduleHeapElement>(_ item: Int32, _ elements: inout [Element]) {
        items.append(item)
        elements[Int(item)].position = Int32(items.count - 1)
        siftUp(items.count - 1, &elements)
    }

    mutating func remove<Element: TaskScheduleHeapElement>(_ item: Int32, _ elements: inout [Element]) {
        let position = Int(elements[Int(item)].position)
        guard position >= 0, position < items.count, items[position] == item, let last = items.popLast() else { return }
        elements[Int(item)].position = -1
        if items.isEmpty { items = [] }
        guard last != item else { return }
        items[position] = last
        elements[Int(last)].position = Int32(position)
        siftDown(position, &elements)
        siftUp(Int(elements[Int(last)].position), &elements)
    }

    private mutating func siftUp<Element: TaskScheduleHeapElement>(_ start: Int, _ elements: inout [Element]) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[Int(items[child])].isBefore(elements[Int(items[parent])]) else { return }
            exchange(child, parent, &elements)
            child = parent
        }
    }

    private mutating func siftDown<Element: TaskScheduleHeapElement>(_ start: Int, _ elements: inout [Element]) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < items.count else { return }
            let right = left + 1
            let isRight = right < items.count && elements[Int(items[right])].isBefore(elements[Int(items[left])])
            let child = isRight ? right : left
            guard elements[Int(items[child])].isBefore(elements[Int(items[parent])]) else { return }
            exchange(child, parent, &elements)
            parent = child
        }
    }

    private mutating func exchange<Element: TaskScheduleHeapElement>(
        _ one: Int,
        _ other: Int,
        _ elements: inout [Element]
    ) {
        items.swapAt(one, other)
        elements[Int(items[one])].position = Int32(one)
        elements[Int(items[other])].position = Int32(other)
    }
}
