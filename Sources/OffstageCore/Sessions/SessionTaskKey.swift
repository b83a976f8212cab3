// SPDX-License-Identifier: Apache-2.0

/// Identifies the background session and the task that a transfer belongs to; unique within its owner.
package struct SessionTaskKey: Sendable, Hashable, Codable {
    /// The session's identifier (`URLSessionConfiguration.identifier`).
    package var session: String
    /// The task's number within the session (`URLSessionTask.taskIdentifier`), from 1.
    @Within<TaskNumbers> package var task: Int

    package init(session: String, task: Int) {
        self.session = session
        self.task = task
    }
}
