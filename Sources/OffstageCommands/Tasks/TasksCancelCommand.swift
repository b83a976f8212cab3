// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore
import OffstageProtocol

/// `offstage tasks cancel TASK` drops a pending task, or asks a running one to end.
package struct TasksCancelCommand: TaskActing {
    package static let path = ["tasks", "cancel"]
    package static let summary = "Cancel a task: drop a pending one, or tell a running one to end."
    package static let synopsis = ["TASK"]
    package static let discussion = """
        For a running task the expiration handler is called, as when its time is over. The app is not notified when a
        pending task is dropped, and may submit it again.
        """
    package static let examples = [
        CommandExample("offstage tasks cancel com.example.dropoff.export", "by identifier"),
        CommandExample("offstage tasks cancel task:12", "by number"),
    ]

    package let task: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { task = try TaskName.parse(&arguments) }

    package func act(_ connection: DaemonConnection) throws(OffstageError) -> TaskRecord {
        try connection.send(CancelTask(task: task)).record
    }

    package func sentence(_ record: TaskRecord, name: String) -> String {
        record.phase == .pending ? "Cancelled \(name)." : "Told \(name) to end."
    }
}
