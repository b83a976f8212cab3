// SPDX-License-Identifier: Apache-2.0

/// The queues of all apps, and the candidates among them, from which the next task may start. A queue is in at most one
/// of the candidate heaps, and in the early heap while it has a begin date in the future.
struct TaskScheduleQueues: Sendable {
    var all: [TaskScheduleQueue] = []
    /// Queues by their next future begin date.
    private(set) var early = TaskScheduleHeap()
    /// The next begin date of each queue.
    private(set) var dates: [TaskScheduleDate] = []
    /// By kind: the queues of apps with all their time left, the longest due first.
    private(set) var full = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleQueue.Kind.count)
    /// By kind: the queues of apps that have used some of their time, the one with most left first.
    private(set) var filling = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleQueue.Kind.count)

    subscript(_ queue: Int) -> TaskScheduleQueue {
        get { all[queue] }
        _modify { yield &all[queue] }
    }

    var indices: Range<Int> { all.indices }

    /// The first future begin date, and its queue.
    var nextDate: (queue: Int32, date: Double)? { early.first.map { ($0, dates[Int($0)].date) } }

    mutating func add(_ queue: TaskScheduleQueue) -> Int32 {
        let index = Int32(all.count)
        all.append(queue)
        dates.append(TaskScheduleDate())
        return index
    }

    /// Sets a queue aside: nothing can start from it now.
    mutating func setAside(_ queue: Int32) {
        let kind = all[Int(queue)].kind
        switch all[Int(queue)].place {
        case .aside: break
        case .full: full[kind.index].remove(queue, &all)
        case .filling: filling[kind.index].remove(queue, &all)
        }
        all[Int(queue)].place = .aside
    }

    /// Sets a queue's next future begin date; nil for none.
    mutating func setDate(_ date: Double?, of queue: Int32) {
        early.remove(queue, &dates)
        guard let date else { return }
        dates[Int(queue)].date = date
        early.insert(queue, &dates)
    }

    /// A queue that was set aside has a request that may start; `fullAt` is when its app's budget is full again, nil if
    /// it is full.
    mutating func makeCandidate(_ queue: Int32, due: Double, number: UInt64, fullAt: Double?) {
        let kind = all[Int(queue)].kind
        all[Int(queue)].due = due
        all[Int(queue)].number = number
        all[Int(queue)].fullAt = fullAt ?? 0
        if fullAt == nil {
            all[Int(queue)].place = .full
            full[kind.index].insert(queue, &all)
        } else {
            all[Int(queue)].place = .filling
            filling[kind.index].insert(queue, &all)
        }
    }
}
