// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The events on a machine in a simulated week.
enum SimulatedWeekHappening {
    // The actions of an app's process; its number identifies it, and events of former processes have no effect.
    case launched(app: Int, process: Int)
    case enters(app: Int, process: Int, UInt64)
    case finishes(app: Int, process: Int, UInt64)
    case crashes(app: Int, process: Int)

    // The daemon.
    case commitDone
    case daemonStarts
    /// The time of a run is over.
    case runsTooLong(app: Int, process: Int, UInt64)
    /// The process being ended has ended.
    case ended(app: Int, process: Int)
    case look

    // Everyone else.
    case conditionChanges
    case personActs
    case somethingBreaks
}

/// Ordered by time; events due at the same time keep the order in which they were added.
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
