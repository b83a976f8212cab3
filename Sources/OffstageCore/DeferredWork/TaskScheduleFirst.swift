// SPDX-License-Identifier: Apache-2.0

/// The first few of many requests, by due time and then by number, found in one pass: a heap with the last of them on
/// top.
struct TaskScheduleFirst {
    private struct Entry {
        var due: Double
        var number: UInt64

        func isBefore(_ other: Entry) -> Bool { due != other.due ? due < other.due : number < other.number }
    }

    private let limit: Int
    private var entries: [Entry] = []

    /// - Parameter limit: the maximum number to find.
    init(limit: Int) { self.limit = max(0, limit) }

    mutating func consider(due: Double, number: UInt64) {
        let entry = Entry(due: due, number: number)
        if entries.count < limit {
            entries.append(entry)
            // Up to the limit, entries are only collected.
            if entries.count == limit { for place in (0..<limit / 2).reversed() { sink(place) } }
        } else if let last = entries.first, entry.isBefore(last) {
            entries[0] = entry
            sink(0)
        }
    }

    /// In order.
    var numbers: [UInt64] { entries.sorted { $0.isBefore($1) }.map(\.number) }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var child = 2 * parent + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, entries[child].isBefore(entries[child + 1]) { child += 1 }
            guard entries[parent].isBefore(entries[child]) else { return }
            entries.swapAt(parent, child)
            parent = child
        }
    }
}
