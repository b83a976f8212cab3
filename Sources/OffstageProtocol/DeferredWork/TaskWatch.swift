// SPDX-License-Identifier: Apache-2.0

/// Has the connection told what becomes of tasks from now on: `TaskEvent` frames follow the reply until it hangs up.
package struct WatchTasks: WireRequest {
    package static let name = "tasks.watch"
    package struct Reply: Codable, Sendable, Equatable {
        /// What runs, and then what is pending, as now; at most `limit`.
        package var rows: [TaskRow]
        package init(rows: [TaskRow]) { self.rows = rows }
    }
    package var limit: Int
    package init(limit: Int = 1000) { self.limit = limit }
}

/// What a watching client is told of tasks, in order. Progress is coalesced to a few times a second.
package enum TaskEvent: Codable, Sendable, Equatable {
    /// New, or in another phase, or further.
    case changed(TaskRow)
    /// It has run, or was cancelled or replaced: its number.
    case removed(UInt64)

    /// The name of the frame that carries one.
    package static let name = "task"
}
