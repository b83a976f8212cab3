// SPDX-License-Identifier: Apache-2.0

/// The queues of all apps, and those of them from which the next task may start: a queue is in at most one of the heaps
/// of candidates, and among the early ones while its next begin date has not come.
struct TaskScheduleQueues: Sendable {
    var all: [TaskScheduleQueue] = []
    /// Queues by the next begin date that has not come.
    private(set) var early = TaskScheduleHeap()
    /// Of each queue.
    private(set) var dates: [TaskScheduleDate] = []
    /// By kind of queue: queues of apps with all their time left, the longest due first.
    private(set) var full = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleQueue.Kind.count)
    /// By kind of queue: queues of apps that have used some of their time, the one with most left first.
    private(set) var filling = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleQueue.Kind.count)

    subscript(_ queue: Int) -> TaskScheduleQueue {
        get { all[queue] }
        _modify { yield &all[queue] }
    }

    var indices: Range<Int> { all.indices }

    /// The first begin date that has not come, and whose it is.
    var nextDate: (queue: Int32, date: Double)? { early.first.map { ($0, dates[Int($0)].date) } }

    mutating func add(_ queue: TaskScheduleQueue) -> Int32 {
        let index = Int32(all.count)
        all.append(queue)
        dates.append(TaskScheduleDate())
        return index
    }

    /// Nothing can start from it now.
    mutating func setAside(_ queue: Int32) {
        let kind = all[Int(queue)].kind
        switch all[Int(queue)].place {
        case .aside: break
        case .full: full[kind.index].remove(queue, &all)
        case .filling: filling[kind.index].remove(queue, &all)
        }
        all[Int(queue)].place = .aside
    }

    /// Sets a queue's next begin date that has not come; nil for none.
    mutating func setDate(_ date: Double?, of queue: Int32) {
        early.remove(queue, &dates)
        guard let date else { return }
        dates[Int(queue)].date = date
        early.insert(queue, &dates)
    }

    /// A queue that was aside has a request that may start; `fullAt` says when its app's budget is full again, nil if
    /// it is.
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
