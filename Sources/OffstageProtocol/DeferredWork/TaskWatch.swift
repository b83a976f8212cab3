// SPDX-License-Identifier: Apache-2.0

/// Subscribes the connection to all changes of tasks from now on: `TaskEvent` frames follow the reply until the
/// connection closes.
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
    /// A task is new, in another phase, or has made progress.
    case changed(TaskRow)
    /// A task has run, or was cancelled or replaced: its number.
    case removed(UInt64)

    /// The name of the frame that carries an event.
    package static let name = "task"
}
