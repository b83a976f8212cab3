// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The engine that has apps' life cycles run other errands, with its handlers on the loop.
struct TaskErrands {
    /// Receives reports about runs that the schedule has not started.
    var notice: @Sendable (TaskNotice, _ app: String) -> Void = { _, _ in }
    /// Receives the removal of an app.
    var removal: @Sendable (_ app: String) -> Void = { _ in }
}
