// SPDX-License-Identifier: Apache-2.0

/// What the schedule has to hear of.
extension TaskSchedule {
    /// Whether the machine's load decides anything now: a task that needs an idle machine runs, or could start.
    package var asksForLoad: Bool {
        let kinds = (0..<TaskScheduleLane.Kind.count).filter { TaskScheduleLane.Kind(index: $0).needsIdleMachine }
        return kinds.contains { !full[$0].isEmpty || !filling[$0].isEmpty }
            || runs.values.contains { slots[Int($0.slot)].kind.needsIdleMachine }
    }
}
