// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Whoever has apps' lives run something besides tasks, and hears of it on the loop.
struct TaskErrands {
    /// Hears what comes of runs that the schedule has not begun.
    var notice: @Sendable (TaskNotice, _ app: String) -> Void = { _, _ in }
    /// Hears that an app was removed.
    var removal: @Sendable (_ app: String) -> Void = { _ in }
}
