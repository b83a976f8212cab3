// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage app quit ID` is the swipe that ends an app.
package struct AppQuitCommand: AppActing {
    package static let path = ["app", "quit"]
    package static let summary = "Quit an app as a person does: its transfers are cancelled, and nothing relaunches it."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        At its next launch, its tasks report that the user cancelled them. Nothing launches it in the background until
        you open it again. The setting keepTransfersOnQuit keeps all apps' transfers (docs/settings.md).
        """
    package static let options = [
        CommandOption("--keep-transfers", "-k", help: "let its transfers continue"),
        AppWaiting.option,
    ]
    package static let examples = [
        CommandExample("offstage app quit dropoff", "as if it had been swiped away"),
        CommandExample("offstage app quit --keep-transfers dropoff", "its uploads still arrive"),
    ]

    package let app: String
    package let waits: Bool
    let keepsTransfers: Bool
    /// Without the option, the settings decide.
    package var verb: ActOnApp.Verb { .quit(keepsTransfers: keepsTransfers ? true : nil) }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        keepsTransfers = arguments.takeFlag("--keep-transfers")
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        let cancelled =
            switch reply.cancelledTransfers {
            case 0: "no transfer was cancelled"
            case 1: "1 transfer was cancelled"
            default: "\(reply.cancelledTransfers) transfers were cancelled"
            }
        return ("\(waits ? "Quit" : "Quitting") \(id); \(cancelled).", .success)
    }
}
