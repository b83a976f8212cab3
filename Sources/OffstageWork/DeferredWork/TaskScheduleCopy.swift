// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// A copy of the schedule for another thread, which takes it and is its only owner from then on.
final class TaskScheduleCopy: Sendable {
    private let schedule: Mutex<TaskSchedule?>

    init(_ schedule: TaskSchedule) { self.schedule = Mutex(schedule) }

    /// Returns the copy once; nil afterwards.
    func take() -> TaskSchedule? {
        schedule.withLock { schedule in
            defer { schedule = nil }
            return schedule
        }
    }
}
