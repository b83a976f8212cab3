// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageClient
import OffstageCore
package import OffstageProtocol

/// `offstage daemon status` shows the daemon's state; it does not start one.
package struct DaemonStatusCommand: Command {
    package static let path = ["daemon", "status"]
    package static let summary = "Show whether the daemon is running, and its state."
    package static let synopsis = [""]
    package static let discussion = "Starts no daemon: the exit status is 3 if none is running."
    package static let examples = [CommandExample("offstage daemon status --json", "for a script or a monitor")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let paths = try context.paths()
        let connector = try context.connector(mayStart: false)
        let status: DaemonStatus
        do throws(OffstageError) {
            status = try connector.connect().send(GetStatus())
        } catch {
            guard error.code == .daemonUnreachable else { throw error }
            if context.printsJSON {
                context.output.print(try JSONText.of(Stopped(running: false, socketPath: paths.socket)))
            } else {
                context.output.print("No daemon is running; the next upload, download or list starts one.")
            }
            return .daemonUnreachable
        }
        if context.printsJSON {
            context.output.print(try JSONText.of(StatusDocument(status)))
        } else {
            for line in Self.lines(status, now: context.now()) { context.output.print(line) }
        }
        return .success
    }

    struct Stopped: Encodable {
        let running: Bool
        let socketPath: String
    }

    /// A limit set by the schedule reads as in 'offstage limit'.
    private static func limit(_ status: DaemonStatus, now: Date) -> String {
        guard status.schedule?.isInForce == true else {
            return status.rateLimit.map { Format.rate(Double($0)) } ?? "none"
        }
        return LimitCommand.sentence(nil, status.rateLimit, status.schedule, now: now)
    }

    package static func lines(_ status: DaemonStatus, now: Date) -> [String] {
        var lines = [
            "offstaged \(status.version) has been running for \(Format.duration(status.uptime)) as process \(status.processID) (started \(status.startedBy)).",
            "Transfers:  \(ListCommand.counts(status.counts))",
            "Network:    \(status.network)",
            "Limit:      \(limit(status, now: now))",
            "Clients:    \(status.connections)",
            "Socket:     \(status.socketPath)",
            "Store:      \(status.storePath)",
            "Settings:   \(status.settingsPath)",
        ]
        lines += status.notices.map { "Notice:     \($0)" }
        return lines.map(\.redactedControls)
    }
}

/// The daemon's state in `--json` output (docs/json.md).
struct StatusDocument: Encodable {
    let running = true
    let version: String
    let processID: Int32
    let uptime: Double
    let socketPath: String
    let storePath: String
    let settingsPath: String
    let counts: [String: Int]
    let connections: Int
    let network: String
    let rateLimit: Int64?
    let notices: [String]
    let startedBy: String

    init(_ status: DaemonStatus) {
        version = status.version.description
        processID = status.processID
        uptime = status.uptime
        socketPath = status.socketPath
        storePath = status.storePath
        settingsPath = status.settingsPath
        counts = status.counts
        connections = status.connections
        network = status.network
        rateLimit = status.rateLimit
        notices = status.notices
        startedBy = status.startedBy
    }
}
