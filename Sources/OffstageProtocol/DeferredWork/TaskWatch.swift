// SPDX-License-Identifier: Apache-2.0

/// Sends the connection everything that happens to tasks from now on: `TaskEvent` frames follow the reply until it
/// closes.
package struct WatchTasks: WireRequest {
    package static let name = "tasks.watch"
    package struct Reply: Codable, Sendable, Equatable {
        /// The current running tasks, then the pending ones; at most `limit`.
        package var rows: [TaskRow]
        package init(rows: [TaskRow]) { self.rows = rows }
    }
    package var limit: Int
    package init(limit: Int = 1000) { self.limit = limit }
}

/// What a watching client receives about tasks, in order. Progress is coalesced to a few times a second.
package enum TaskEvent: Codable, Sendable, Equatable {
    /// New, in another phase, or with more progress.
    case changed(TaskRow)
    /// It has run, or was cancelled or replaced: its number.
    case removed(UInt64)

    /// The name of the frame that carries one.
    package static let name = "task"
}
