// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// `offstage app foreground ID` brings an app to the front.
package struct AppForegroundCommand: AppActing {
    package static let path = ["app", "foreground"]
    package static let summary = "Bring an app to the front, launching it if it is not running."
    package static let synopsis = ["[OPTION…] ID"]
    package static let examples = [
        CommandExample("offstage app foreground dropoff", "a suspended app continues where it stopped")
    ]

    package let app: String
    package let waits: Bool
    package var verb: ActOnApp.Verb { .foreground }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        guard waits else { return ("\(id) is being brought to the front.", .success) }
        guard let row = reply.row, row.state != .terminated else {
            return ("\(id) has ended: 'offstage app log \(id)' says how.", .failure)
        }
        return (row.standing, .success)
    }
}
