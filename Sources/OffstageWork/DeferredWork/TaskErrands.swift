// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The engine that lets apps' life cycles run other errands, and its handlers on the loop.
struct TaskErrands {
    /// Receives reports about runs that the schedule has not begun.
    var notice: @Sendable (TaskNotice, _ app: String) -> Void = { _, _ in }
    /// Receives the removal of an app.
    var removal: @Sendable (_ app: String) -> Void = { _ in }
}
