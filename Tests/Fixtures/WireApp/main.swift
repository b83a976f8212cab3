// SPDX-License-Identifier: Apache-2.0
import Glibc

// WireApp FOLDER FLAG...: uses the daemon of OFFSTAGE_HOME.
guard CommandLine.arguments.count > 1, let home = getenv("OFFSTAGE_HOME") else { exit(64) }
let app = WireApp(
    folder: CommandLine.arguments[1],
    socketPath: String(cString: home) + "/run/daemon.sock",
    flags: Set(CommandLine.arguments.dropFirst(2))
)
try app.run()
