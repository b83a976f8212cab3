// SPDX-License-Identifier: Apache-2.0

/// An element of a heap: it is stored in an array, and knows its position in the heap.
protocol TaskScheduleHeapElement {
    /// The index in the heap's array; undefined while it is in none.
    var position: Int32 { get set }
    func isBefore(_ other: Self) -> Bool
}

/// A binary heap of indices into an array of elements. Each element knows its position, so any of them can be removed
/// in O(log n), and no outdated entry remains. 4 bytes per entry.
struct TaskScheduleHeap: Sendable {
    private(set) var items: [Int32] = []

    var first: Int32? { items.first }
    var isEmpty: Bool { items.isEmpty }

    mutating func insert<Element: TaskScheduleHeapElement>(_ item: Int32, _ elements: inout [Element]) {
        items.append(item)
        siftUp(items.count - 1, &elements)
    }

    mutating func remove<Element: TaskScheduleHeapElement>(_ item: Int32, _ elements: inout [Element]) {
        let position = Int(elements[Int(item)].position)
        guard position >= 0, position < items.count, items[position] == item, let last = items.popLast() else { return }
        elements[Int(item)].position = -1
        if items.isEmpty { items = [] }
        guard last != item else { return }
        put(last, at: position, &elements)
        siftDown(position, &elements)
        siftUp(Int(elements[Int(last)].position), &elements)
    }

    /// Moves an item up: each item above it that sorts after it moves down once.
    private mutating func siftUp<Element: TaskScheduleHeapElement>(_ start: Int, _ elements: inout [Element]) {
        let item = items[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard elements[Int(item)].isBefore(elements[Int(items[parent])]) else { break }
            put(items[parent], at: place, &elements)
            place = parent
        }
        put(item, at: place, &elements)
    }

    private mutating func siftDown<Element: TaskScheduleHeapElement>(_ start: Int, _ elements: inout [Element]) {
        let item = items[start]
        var place = start
        while 2 * place + 1 < items.count {
            let left = 2 * place + 1
            let right = left + 1
            let isRight = right < items.count && elements[Int(items[right])].isBefore(elements[Int(items[left])])
            let child = isRight ? right : left
            guard elements[Int(items[child])].isBefore(elements[Int(item)]) else { break }
            put(items[child], at: place, &elements)
            place = child
        }
        put(item, at: place, &elements)
    }

    private mutating func put<Element: TaskScheduleHeapElement>(
        _ item: Int32,
        at place: Int,
        _ elements: inout [Element]
    ) {
        items[place] = item
        elements[Int(item)].position = Int32(place)
    }
}
