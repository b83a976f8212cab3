// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The events on a simulated device, one after another.
enum SimulatedHappening {
    // The kernel.
    /// A signal that the daemon asked for arrives.
    case order(AppAction, ProcessIdentity)
    case look(ProcessIdentity, number: Int)
    case spawn(LaunchCause, token: String)
    case ended(ProcessIdentity, ProcessEnd)

    // The store.
    case commitDone
    case taskCommitDone(UInt64)

    // Deferred work.
    case startTask(UInt64)

    // The connection, in both directions.
    case attach(ProcessIdentity, link: Int, StageView)
    case answer(ProcessIdentity, link: Int, SimulatedAnswer)
    case command(StageCommand, ProcessIdentity, link: Int)
    case report(StageReport, ProcessIdentity, link: Int)
    case hangUp(ProcessIdentity, link: Int)

    // The actions of a process itself, when it is not stopped.
    case connect(ProcessIdentity)
    case work(ProcessIdentity)
    case endTask(ProcessIdentity, Int)
    case complete(ProcessIdentity, session: String)
    case take(ProcessIdentity, session: String)
    case enterTask(ProcessIdentity, UInt64)
    case completeTask(ProcessIdentity, UInt64)
    case ready(ProcessIdentity, Int)
    case noticeTerminal(ProcessIdentity)

    // Everyone else.
    case daemonStarts
    case shellTakesTerminal(ProcessIdentity)
    case whim

    /// Whether it is in flight inside the daemon or on a connection to it, and is lost when the daemon dies.
    var diesWithDaemon: Bool {
        switch self {
        case .order, .look, .ended, .commitDone, .taskCommitDone, .startTask, .attach, .answer, .command, .report,
            .hangUp, .take:
            true
        case .spawn, .connect, .work, .endTask, .complete, .enterTask, .completeTask, .ready, .noticeTerminal,
            .daemonStarts, .shellTakesTerminal, .whim:
            false
        }
    }
}

enum SimulatedAnswer {
    case accepted(LaunchCause, timeEnds: Double?)
    case refused
}

/// Ordered by time; events due at the same time keep the order in which they were added.
struct SimulatedAgenda {
    private struct Entry {
        var time: Double
        var number: Int
        var happening: SimulatedHappening
    }

    private var heap: [Entry] = []
    private var count = 0

    var nextTime: Double? { heap.first?.time }

    mutating func add(_ happening: SimulatedHappening, at time: Double) {
        count += 1
        heap.append(Entry(time: time, number: count, happening: happening))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> (time: Double, happening: SimulatedHappening)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return (first.time, first.happening)
    }

    mutating func removeAll(where isGone: (SimulatedHappening) -> Bool) {
        let kept = heap.filter { !isGone($0.happening) }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
        heap = kept
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
