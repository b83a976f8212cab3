// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore
import OffstageProtocol

/// `offstage simulate expire TASK` tells a running task that its time is over.
package struct SimulateExpireCommand: TaskActing {
    package static let path = ["simulate", "expire"]
    package static let summary = "Tell a running task that its time is over: its expiration handler is called."
    package static let synopsis = ["TASK"]
    package static let discussion = """
        Like _simulateExpirationForTaskWithIdentifier: in Apple's debugger. A task that does not end then is killed, as
        when its time is really over.
        """
    package static let examples = [
        CommandExample("offstage simulate expire com.example.dropoff.sync", "see the expiration handler run")
    ]

    package let task: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { task = try TaskName.parse(&arguments) }

    package func act(_ connection: DaemonConnection) throws(OffstageError) -> TaskRecord {
        try connection.send(SimulateTask(verb: .expire, task: task)).record
    }

    package func sentence(_ record: TaskRecord, name: String) -> String { "Told \(name) that its time is over." }
}
