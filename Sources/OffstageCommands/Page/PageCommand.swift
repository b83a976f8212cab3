// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageClient
import OffstageCore

/// `offstage page` opens a page in the browser that shows the daemon's activity live.
package struct PageCommand: Command {
    package static let path = ["page"]
    package static let summary = "Open a page in the browser: what runs, what waits and why, and what to do about it."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Starts offstage-page in the background, prints the page's link, and opens it on the desktop, if there is one. The
        link can be opened once, by this user; run the command again for another. The program serves on this machine alone,
        each time at another address of 127.0.0.0/8, and ends when nobody has viewed it for ten minutes. docs/page.md says
        how to view the page of a machine without a screen.
        """
    package static let options = [
        CommandOption("--port", value: "PORT", help: "listen on this port; otherwise on any free port"),
        CommandOption(
            "--metrics-token",
            value: "FILE",
            kind: .file,
            help: "serve /metrics to clients with the token in FILE, which is created if it is missing"
        ),
        CommandOption("--no-open", help: "only print the link"),
    ]
    package static let examples = [
        CommandExample("offstage page", "see what is going on"),
        CommandExample("offstage page --no-open", "on a server: lead the link's address and port through ssh -L"),
    ]

    let port: Int
    let metricsToken: String?
    let opens: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        port = try arguments.takeValue("--port", "a port, 1 to 65535", Quantity.count) ?? 0
        guard port <= 65_535 else { throw UsageError("--port takes a port from 1 to 65535") }
        metricsToken = arguments.takeValue("--metrics-token")
        opens = !arguments.takeFlag("--no-open")
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        var words = port == 0 ? [] : ["--port", "\(port)"]
        if let metricsToken { words += ["--metrics-token", try context.absolute(metricsToken)] }
        if !context.startsDaemon { words.append("--no-start") }
        let link = try PageLauncher(context.environment).launch(words)
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(link: link)))
        } else {
            context.output.print(link)
        }
        if opens { Desktop.open(link, context.environment) }
        return .success
    }

    struct Document: Encodable {
        let link: String
    }
}
