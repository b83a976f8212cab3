// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageClient
import OffstageProtocol

/// `offstage daemon stop` makes the daemon commit and exit.
package struct DaemonStopCommand: Command {
    package static let path = ["daemon", "stop"]
    package static let summary = "Stop the daemon; transfers continue when it runs again."
    package static let synopsis = [""]
    package static let discussion = """
        Running transfers are interrupted and continue with the next daemon, which the next command starts. A command
        that follows transfers starts one at once. Suspended apps stay stopped until then.
        """
    package static let examples = [CommandExample("offstage daemon stop", "commit everything and exit")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connector = try context.connector(mayStart: false)
        let wasRunning: Bool
        do throws(OffstageError) {
            let connection = try connector.connect()
            // Opened while the daemon is alive, so its PID cannot belong to another process yet.
            let process = offstage_pidfd_open(connection.daemon.processID)
            defer { if process >= 0 { close(process) } }
            _ = try connection.send(StopDaemon())
            try connection.waitUntilClosed(seconds: 60)
            Self.waitForExit(of: process)
            wasRunning = true
        } catch {
            guard error.code == .daemonUnreachable || error.code == .connectionLost else { throw error }
            wasRunning = error.code == .connectionLost
        }
        if context.printsJSON {
            context.output.print("{\"stopped\":\(wasRunning)}")
        } else {
            context.output.print(
                wasRunning
                    ? "The daemon has stopped. Suspended apps stay suspended until one runs again."
                    : "No daemon was running."
            )
        }
        return .success
    }

    /// Waits until the process has ended, so the next command finds it gone: it closes its connections a moment before
    /// it ends. In a container whose first process reaps no children, it stays a zombie, which keeps its PID forever.
    private static func waitForExit(of process: Int32) {
        guard process >= 0 else { return }
        var entry = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 10_000) < 0, errno == EINTR {}
    }
}
