// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// `offstage app launch ID` opens an app, or launches it in the background.
package struct AppLaunchCommand: AppActing {
    package static let path = ["app", "launch"]
    package static let summary = "Open an app, or bring it to the front if it is running."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        Starts the app as it was last launched in the foreground, without a terminal; its output goes to its log
        ('offstage app log ID --output').
        """
    package static let options = [
        CommandOption("--background", "-b", help: "launch it in the background, as for a session's events"),
        AppWaiting.option,
    ]
    package static let examples = [
        CommandExample("offstage app launch dropoff", "as if it had been tapped"),
        CommandExample("offstage app launch --background dropoff", "it runs at most for its background time"),
    ]

    package let app: String
    package let waits: Bool
    let isInBackground: Bool
    package var verb: ActOnApp.Verb { .launch(inBackground: isInBackground) }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isInBackground = arguments.takeFlag("--background")
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        guard waits else { return ("\(id) is being launched.", .success) }
        guard let row = reply.row, row.state != .terminated else {
            return ("\(id) was launched and has ended: 'offstage app log \(id)' says how.", .failure)
        }
        return (row.standing, .success)
    }
}
