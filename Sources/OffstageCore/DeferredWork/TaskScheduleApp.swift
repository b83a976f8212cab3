// SPDX-License-Identifier: Apache-2.0

/// An app in the schedule.
struct TaskScheduleApp: Sendable, TaskScheduleHeapElement {
    let id: String
    var hold: AppHold?
    /// Since when the hold has applied, on the boot-time clock.
    var holdSince: Double
    var budget: TaskBudget
    /// Its queues' indices, by kind; -1 for none yet.
    var queues = InlineArray<9, Int32>(repeating: -1)
    /// Pending requests, in the order of `TaskRequest.Kind.allCases`.
    var pending = InlineArray<4, Int32>(repeating: 0)
    /// Starting or running, including continued processing.
    var active = 0
    /// Seconds that a run takes, as far as known.
    var typicalSeconds: Double?
    /// Its position in the heap of apps that are backed off.
    var position: Int32 = -1

    init(id: String, daily: Double, now: Double) {
        self.id = id
        holdSince = now
        budget = TaskBudget(daily: daily, at: now)
    }

    /// The end of its back-off; infinite without one.
    var backedOffUntil: Double {
        if case .backedOff(let until, _) = hold { until } else { .infinity }
    }

    /// Why none of its tasks of a kind may be started now.
    func hold(for kind: TaskScheduleQueue.Kind, at now: Double) -> AppHold? {
        guard case .backedOff(let until, _) = hold else { return hold }
        return kind.isContinued || until <= now ? nil : hold
    }

    /// Adds a run's length to the estimate, in which recent runs count most.
    mutating func recordRun(seconds: Double) {
        typicalSeconds = typicalSeconds.map { $0 * 0.7 + seconds * 0.3 } ?? seconds
    }

    func isBefore(_ other: TaskScheduleApp) -> Bool { backedOffUntil < other.backedOffUntil }
}
