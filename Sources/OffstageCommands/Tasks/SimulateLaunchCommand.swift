// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore
import OffstageProtocol

/// `offstage simulate launch TASK` starts a pending task immediately, like a debugger's call on a phone.
package struct SimulateLaunchCommand: TaskActing {
    package static let path = ["simulate", "launch"]
    package static let summary = "Start a pending task now, whatever it waits for."
    package static let synopsis = ["TASK"]
    package static let discussion = """
        Like _simulateLaunchForTaskWithIdentifier: in Apple's debugger. Time, conditions, budget and limits do not hold
        the task back; the app is launched in the background if it is not running. An app that a person quit, or that has
        just crashed, is not launched: start it first.
        """
    package static let examples = [
        CommandExample("offstage simulate launch com.example.dropoff.sync", "see the handler run")
    ]

    package let task: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { task = try TaskName.parse(&arguments) }

    package func act(_ connection: DaemonConnection) throws(OffstageError) -> TaskRecord {
        try connection.send(SimulateTask(verb: .launch, task: task)).record
    }

    package func sentence(_ record: TaskRecord, name: String) -> String {
        "Starting \(name); 'offstage tasks' shows how it goes."
    }
}
