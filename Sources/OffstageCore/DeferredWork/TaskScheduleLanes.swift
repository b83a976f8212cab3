// SPDX-License-Identifier: Apache-2.0

/// The lanes of all apps, and those of them from which the next task may start: a lane is in at most one of the heaps of
/// candidates, and among the early ones while its next begin date has not come.
struct TaskScheduleLanes: Sendable {
    var all: [TaskScheduleLane] = []
    /// Lanes by the next begin date that has not come.
    private(set) var early = TaskScheduleHeap()
    /// Of each lane.
    private(set) var dates: [TaskScheduleDate] = []
    /// By kind of lane: lanes of apps with all their time left, the longest due first.
    private(set) var full = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleLane.Kind.count)
    /// By kind of lane: lanes of apps that have used some of their time, the one with most left first.
    private(set) var filling = [TaskScheduleHeap](repeating: TaskScheduleHeap(), count: TaskScheduleLane.Kind.count)

    subscript(_ lane: Int) -> TaskScheduleLane {
        get { all[lane] }
        _modify { yield &all[lane] }
    }

    var indices: Range<Int> { all.indices }

    /// The first begin date that has not come, and whose it is.
    var nextDate: (lane: Int32, date: Double)? { early.first.map { ($0, dates[Int($0)].date) } }

    mutating func add(_ lane: TaskScheduleLane) -> Int32 {
        let index = Int32(all.count)
        all.append(lane)
        dates.append(TaskScheduleDate())
        return index
    }

    /// Nothing can start from it now.
    mutating func setAside(_ lane: Int32) {
        let kind = all[Int(lane)].kind
        switch all[Int(lane)].place {
        case .aside: break
        case .full: full[kind.index].remove(lane, &all)
        case .filling: filling[kind.index].remove(lane, &all)
        }
        all[Int(lane)].place = .aside
    }

    /// Sets a lane's next begin date that has not come; nil for none.
    mutating func setDate(_ date: Double?, of lane: Int32) {
        early.remove(lane, &dates)
        guard let date else { return }
        dates[Int(lane)].date = date
        early.insert(lane, &dates)
    }

    /// A lane that was aside has a request that may start; `fullAt` says when its app's budget is full again, nil if it
    /// is.
    mutating func makeCandidate(_ lane: Int32, due: Double, number: UInt64, fullAt: Double?) {
        let kind = all[Int(lane)].kind
        all[Int(lane)].due = due
        all[Int(lane)].number = number
        all[Int(lane)].fullAt = fullAt ?? 0
        if fullAt == nil {
            all[Int(lane)].place = .full
            full[kind.index].insert(lane, &all)
        } else {
            all[Int(lane)].place = .filling
            filling[kind.index].insert(lane, &all)
        }
    }
}
