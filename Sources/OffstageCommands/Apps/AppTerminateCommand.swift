// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage app terminate ID` reclaims an app as the system does.
package struct AppTerminateCommand: AppActing {
    package static let path = ["app", "terminate"]
    package static let summary = "End an app as the system does: its transfers continue, and may relaunch it."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        A running app receives applicationWillTerminate and has five seconds; a suspended one is not notified.
        """
    package static let examples = [
        CommandExample("offstage app terminate dropoff", "to see how it copes with a relaunch in the background")
    ]

    package let app: String
    package let waits: Bool
    package var verb: ActOnApp.Verb { .terminate }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        ("\(waits ? "Terminated" : "Terminating") \(id).", .success)
    }
}
