// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageClient
import OffstageCore

// offstage-notifier: shows apps' notifications on a desktop. The daemon starts it when there is something to show, and
// it exits with the daemon, with the session bus, or when nothing has been shown for a while.
offstage_fill_standard_descriptors()
let environment = ProcessInfo.processInfo.environment
do {
    let paths = try OffstagePaths.ofThisUser(environment)
    let connector = DaemonConnector(
        paths: paths,
        environment: environment,
        client: "offstage-notifier",
        startsDaemon: false
    )
    exit(try Notifier(connector.connect()).run())
} catch {
    let line = "offstage-notifier: \(error)\n"
    line.withCString { _ = write(2, $0, strlen($0)) }
    exit(1)
}
