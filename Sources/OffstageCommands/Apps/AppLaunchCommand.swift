// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// `offstage app launch ID` opens an app, or has it launched in background.
package struct AppLaunchCommand: AppActing {
    package static let path = ["app", "launch"]
    package static let summary = "Open an app; one that runs already comes to the front."
    package static let synopsis = ["[OPTION…] ID"]
    package static let discussion = """
        It is started as it was last launched in foreground, without a terminal; what it prints goes to its log
        ('offstage app log ID --output').
        """
    package static let options = [
        CommandOption("--background", "-b", help: "launch it in background, as for a session's events"),
        AppWaiting.option,
    ]
    package static let examples = [
        CommandExample("offstage app launch dropoff", "as if it had been tapped"),
        CommandExample("offstage app launch --background dropoff", "it runs for its background time at most"),
    ]

    package let app: String
    package let waits: Bool
    let isInBackground: Bool
    package var verb: ActOnApp.Verb { .launch(inBackground: isInBackground) }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isInBackground = arguments.takeFlag("--background")
        waits = !arguments.takeFlag("--no-wait")
        app = try AppName.take(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        guard waits else { return ("\(id) is being launched.", .success) }
        guard let row = reply.row, row.state != .terminated else {
            return ("\(id) was launched and has ended: 'offstage app log \(id)' says how.", .failure)
        }
        return (row.standing, .success)
    }
}
