// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport

/// A member with its own home and daemon: the real programs.
final class StagedMember {
    let name: String
    let daemon: DaemonFixture
    private let program: String
    private(set) var process: ChildProcess?

    init(
        _ name: String,
        of stage: FleetStage,
        labels: [String] = [],
        login: String = "works",
        settings change: (inout MemberSettings) -> Void = { _ in }
    ) throws {
        self.name = name
        daemon = try DaemonFixture()
        program = try BuiltProducts.path("offstage-fleet")
        let key = daemon.directory.path("fleet.key")
        try stage.key.write(to: key)
        var settings = MemberSettings(database: stage.server.words(login), fleet: stage.id, name: name, key: key)
        settings.labels = labels
        settings.shares = [stage.folder.path("shared")]
        change(&settings)
        try settings.write(to: daemon.home + "/fleet-member.json")
    }

    deinit { process?.kill(SIGKILL) }

    /// Starts its process.
    func start() throws {
        process = try ChildProcess(program, ["member", "run"], environment: daemon.environment, directory: "/")
    }

    /// Runs a fleet command on its machine.
    func run(_ words: String...) throws -> CommandResult {
        try ChildProcess.run(program, words, environment: daemon.environment, directory: "/")
    }

    /// The member's log.
    var log: String { process?.errors ?? "" }

    /// Waits for text in its log.
    func wait(for words: String, within seconds: Double = 30) throws {
        do {
            try eventually("\(name) says '\(words)'", within: seconds) { log.contains(words) ? true : nil }
        } catch {
            throw TestError("\(error) It has said: \(log)")
        }
    }

    /// Kills the process.
    func kill() throws {
        process?.kill(SIGKILL)
        _ = try process?.exitStatus()
    }

    /// Kills the process and the daemon, as if the machine were gone.
    func crash() throws {
        try kill()
        for id in daemon.daemonProcessIDs { try ForeignProcess(id).send(SIGKILL) }
    }

    func send(_ signal: Int32) { process?.kill(signal) }

    /// Sends a signal to its daemon.
    func sendDaemon(_ signal: Int32) throws {
        for id in daemon.daemonProcessIDs { try ForeignProcess(id).send(signal) }
    }

    /// Waits until its daemon has no transfer on record.
    func waitForNothing() throws {
        try eventually("\(name)'s daemon has nothing on record") {
            try daemon.json("list", "--all").transfers.array.isEmpty ? true : nil
        }
    }
}
