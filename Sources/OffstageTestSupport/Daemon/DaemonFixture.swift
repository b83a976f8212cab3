// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The real command and daemon with a home of their own, which is gone with all processes when the test is over.
package final class DaemonFixture: Sendable {
    /// Holds the daemon's home and the files of the test.
    package let directory: TemporaryDirectory
    /// `OFFSTAGE_HOME`.
    package let home: String
    /// Where commands begin, for files of the test.
    package let files: String
    package let environment: [String: String]
    /// What stands before each command, such as a change of user.
    private let prefix: [String]
    package let command: String
    private let daemonProgram: String

    /// - Parameters:
    ///   - settings: the text of `settings.json`; nil for none. Retries come quickly unless it says otherwise.
    ///   - home: nil for a new one.
    ///   - environment: added to that of every command, and so of the daemon that the first one starts.
    ///   - prefix: stands before each command, such as a change of network namespace.
    ///   - asNobody: runs everything as the user `nobody`, which root may.
    /// - Throws: `TestError` when the programs are not built.
    package init(
        settings: String? = #"{"retryBaseDelay": 0.1, "retryMaximumDelay": 1}"#,
        home: String? = nil,
        environment: [String: String] = [:],
        prefix: [String] = [],
        asNobody: Bool = false
    ) throws {
        self.prefix = asNobody ? Self.setpriv : prefix
        command = try BuiltProducts.path("offstage")
        daemonProgram = try BuiltProducts.path("offstaged")
        directory = try TemporaryDirectory()
        self.home = home ?? directory.path("home")
        files = directory.path("files")
        try TestFiles.makeDirectory(files)
        self.environment = ChildProcess.inheritedEnvironment
            .merging(environment) { $1 }
            .merging(["OFFSTAGE_HOME": self.home, "HOME": directory.path]) { $1 }
        if let settings {
            try TestFiles.makeDirectory(self.home)
            // As a daemon's home is: tests put files of their own there.
            chmod(self.home, 0o700)
            try self.settings(settings)
        }
        if asNobody {
            for path in [directory.path, self.home, files, self.home + "/settings.json"] { chown(path, 65534, 65534) }
        }
    }

    /// Runs what follows as `nobody`.
    package static let setpriv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    deinit { end() }

    /// Kills what the fixture's commands started, and removes its files.
    package func end() {
        // A daemon launches an app that was killed, and an app starts a daemon that was: until neither is left.
        for _ in 0..<20 { if !endProcesses() { break } }
        directory.remove()
    }

    /// Whether there were any.
    private func endProcesses() -> Bool {
        let found = ForeignProcess.withEnvironment("OFFSTAGE_HOME=\(home)").filter { $0 != getpid() }
        for processID in found {
            guard let process = try? ForeignProcess(processID) else { continue }
            // Only now is the number held: look again whether it is still ours.
            guard ForeignProcess.withEnvironment("OFFSTAGE_HOME=\(home)").contains(processID) else { continue }
            try? process.send(SIGKILL)
            try? process.awaitEnd()
        }
        return !found.isEmpty
    }

    /// Writes `settings.json`, which a daemon reads when it starts.
    package func settings(_ text: String) throws {
        try TestFiles.write(text, to: home + "/settings.json")
    }

    /// The path of a file of the test.
    package func path(_ name: String) -> String { files + "/" + name }

    /// Makes a random file and returns its path and checksum.
    package func makeFile(_ name: String, bytes: Int, seed: UInt64 = 1) throws -> (path: String, sha256: String) {
        try TestFiles.makeRandom(path(name), bytes: bytes, seed: seed)
        return (path(name), try TestFiles.sha256(path(name)))
    }

    /// Runs `offstage` to its end.
    @discardableResult
    package func run(
        _ arguments: String...,
        input: String = "",
        environment: [String: String] = [:],
        within seconds: Double = 60
    ) throws -> CommandResult {
        try run(arguments, input: input, environment: environment, within: seconds)
    }

    /// Runs `offstage` to its end, with the arguments as an array.
    @discardableResult
    package func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        within seconds: Double = 60
    ) throws -> CommandResult {
        try start(arguments, input: input, environment: environment).result(within: seconds)
    }

    /// Runs `offstage` and reads the JSON that it prints.
    package func json(_ arguments: String..., within seconds: Double = 60) throws -> JSONValue {
        let result = try run(arguments + ["--json"], within: seconds)
        guard result.isSuccess else { throw TestError("offstage \(arguments.joined(separator: " ")): \(result)") }
        return try JSONValue(parsing: result.output)
    }

    /// Starts `offstage`, to be followed, killed or waited for.
    package func start(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        terminal: Int32? = nil
    ) throws -> ChildProcess {
        let line = prefix + [command] + arguments
        return try ChildProcess(
            line[0],
            Array(line.dropFirst()),
            environment: self.environment.merging(environment) { $1 },
            directory: files,
            input: Array(input.utf8),
            terminal: terminal
        )
    }

    /// Runs `offstage` in a terminal.
    package func window(_ arguments: String..., rows: UInt16, columns: UInt16) throws -> TerminalWindow {
        try TerminalWindow(
            rows: rows,
            columns: columns,
            prefix + [command] + arguments,
            environment: environment,
            directory: files
        )
    }

    /// Starts `offstaged` by hand.
    package func startDaemon(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> ChildProcess {
        let line = prefix + [daemonProgram] + arguments
        return try ChildProcess(
            line[0],
            Array(line.dropFirst()),
            environment: self.environment.merging(environment) { $1 },
            directory: files
        )
    }

    /// The daemons of this home that run now, as the kernel knows them.
    ///
    /// A child that a daemon has made, and that is not yet another program, has the daemon's name and environment. It is
    /// none of them.
    package var daemonProcessIDs: [Int32] {
        let named = ForeignProcess.withEnvironment("OFFSTAGE_HOME=\(home)").filter { number in
            (try? TestFiles.text("/proc/\(number)/comm"))?.hasPrefix("offstaged") == true
        }
        return named.filter { number in
            guard let status = ForeignProcess.status(of: number) else { return false }
            return status.state != "Z" && !named.contains(status.parent)
        }
    }

    /// The daemon that runs.
    package func daemon() throws -> ForeignProcess {
        let found = daemonProcessIDs
        guard let processID = found.first, found.count == 1 else {
            throw TestError("There should be one daemon, but these are: \(found).")
        }
        return try ForeignProcess(processID)
    }

    /// Kills the daemon with SIGKILL and waits for its death.
    package func killDaemon() throws {
        let daemon = try daemon()
        try daemon.send(SIGKILL)
        try daemon.awaitEnd()
    }

    /// What `offstage show ID --json` says.
    package func show(_ id: Int) throws -> JSONValue { try json("show", "\(id)").transfers[0] }

    /// The daemon's log, empty when there is none.
    package var log: String { (try? TestFiles.text(home + "/daemon.log")) ?? "" }
}
