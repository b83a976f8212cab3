// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What happens on a machine in a simulated week.
enum SimulatedWeekHappening {
    // What a process of an app does; the number says which process, those of former ones come to nothing.
    case launched(app: Int, process: Int)
    case enters(app: Int, process: Int, UInt64)
    case finishes(app: Int, process: Int, UInt64)
    case crashes(app: Int, process: Int)

    // The daemon.
    case commitDone
    case daemonStarts
    /// The time of a run is over.
    case runsTooLong(app: Int, process: Int, UInt64)
    /// The process that is being ended, has.
    case ended(app: Int, process: Int)
    case look

    // Everybody else.
    case conditionChanges
    case personActs
    case somethingBreaks
}

/// Earliest first, and what is due at the same time in the order in which it was put down.
struct SimulatedWeekAgenda {
    private struct Entry {
        var time: Double
        var number: Int
        var happening: SimulatedWeekHappening
    }

    private var heap: [Entry] = []
    private var count = 0

    var nextTime: Double { heap.first?.time ?? .infinity }

    mutating func add(_ happening: SimulatedWeekHappening, at time: Double) {
        count += 1
        heap.append(Entry(time: time, number: count, happening: happening))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> (time: Double, happening: SimulatedWeekHappening)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return (first.time, first.happening)
    }

    mutating func removeAll(where isGone: (SimulatedWeekHappening) -> Bool) {
        heap = heap.filter { !isGone($0.happening) }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (heap[one].time, heap[one].number) < (heap[other].time, heap[other].number)
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let child = left + 1 < heap.count && isBefore(left + 1, left) ? left + 1 : left
            guard isBefore(child, parent) else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
