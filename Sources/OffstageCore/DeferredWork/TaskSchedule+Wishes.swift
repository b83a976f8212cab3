// SPDX-License-Identifier: Apache-2.0

/// The conditions that the schedule needs to know.
extension TaskSchedule {
    /// Whether the machine's load matters now: a task that needs an idle machine runs, or could start if the machine
    /// were idle.
    package var asksForLoad: Bool {
        runs.all.values.contains { slots[Int($0.slot)].kind.needsIdleMachine }
            || (0..<TaskScheduleQueue.Kind.count).contains { index in
                let kind = TaskScheduleQueue.Kind(index: index)
                guard kind.needsIdleMachine, isOpenWhenIdle(kind) else { return false }
                return hasTimeLeft(queues.full[index].first) || hasTimeLeft(queues.filling[index].first)
            }
    }

    /// The runs that need an idle machine, and so must not themselves make it busy; empty if the load could end none of
    /// them, because a person started them all.
    package var runsOnIdleMachine: [UInt64] {
        let found = runs.all.filter { slots[Int($0.value.slot)].kind.needsIdleMachine }
        return found.values.allSatisfy(\.isForced) ? [] : Array(found.keys)
    }

    private func hasTimeLeft(_ queue: Int32?) -> Bool {
        queue.map { appList[Int(queues[Int($0)].app)].budget.left(at: now.uptime) > 0 } ?? false
    }
}
