// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// `offstage app background ID` acts as the Home button.
package struct AppBackgroundCommand: AppActing {
    package static let path = ["app", "background"]
    package static let summary = "Send an app to the background, like the Home button."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        The app is notified, may finish its background tasks, and is then suspended (docs/apps.md).
        """
    package static let examples = [CommandExample("offstage app background dropoff", "as if Home had been pressed")]

    package let app: String
    package let waits: Bool
    package var verb: ActOnApp.Verb { .background }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        guard waits else { return ("\(id) is being sent to the background.", .success) }
        guard let row = reply.row else { return ("\(id) was sent to the background.", .success) }
        guard row.state != .terminated else {
            return ("\(id) has ended in the background: 'offstage app log \(id)' says how.", .failure)
        }
        return (row.standing, .success)
    }
}
