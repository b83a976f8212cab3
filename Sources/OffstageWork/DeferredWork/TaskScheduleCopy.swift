// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// A copy of the schedule on its way to another thread, which takes it and is then the only one that has it.
final class TaskScheduleCopy: Sendable {
    private let schedule: Mutex<TaskSchedule?>

    init(_ schedule: TaskSchedule) { self.schedule = Mutex(schedule) }

    /// Once; nil afterwards.
    func take() -> TaskSchedule? {
        schedule.withLock { schedule in
            defer { schedule = nil }
            return schedule
        }
    }
}
