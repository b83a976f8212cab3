// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The real command and daemon with their own home, which is removed with all processes when the test is over.
package final class DaemonFixture: Sendable {
    /// Holds the daemon's home and the files of the test.
    package let directory: TemporaryDirectory
    /// `OFFSTAGE_HOME`.
    package let home: String
    /// The working directory of commands, for the test's files.
    package let files: String
    package let environment: [String: String]
    /// The words before each command, such as a change of user.
    private let prefix: [String]
    package let command: String
    private let daemonProgram: String

    /// - Parameters:
    ///   - settings: the text of `settings.json`; nil for no file. Retries are quick unless it says otherwise.
    ///   - home: nil for a new one.
    ///   - environment: added to the environment of every command, and so of the daemon that the first command starts.
    ///   - prefix: the words before each command, such as a change of network namespace.
    ///   - asNobody: runs everything as the user `nobody`, which root may.
    /// - Throws: `TestError` if the programs are not built.
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
            // The mode of a daemon's home: tests put their own files there.
            chmod(self.home, 0o700)
            try self.settings(settings)
        }
        if asNobody {
            for path in [directory.path, self.home, files, self.home + "/settings.json"] { chown(path, 65534, 65534) }
        }
    }

    /// Runs the following command as `nobody`.
    package static let setpriv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    deinit { end() }

    /// Kills the processes that the fixture's commands started, and removes its files.
    package func end() {
        // A daemon relaunches a killed app, and an app restarts a killed daemon: repeat until neither is left.
        for _ in 0..<20 { if !endProcesses() { break } }
        directory.remove()
    }

    /// Kills the processes of this home, and returns whether there were any.
    private func endProcesses() -> Bool {
        let found = ForeignProcess.withEnvironment("OFFSTAGE_HOME=\(home)").filter { $0 != getpid() }
        for processID in found {
            guard let process = try? ForeignProcess(processID) else { continue }
            // The process ID is held only from here on: check again that it is still ours.
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

    /// The path of a test file.
    package func path(_ name: String) -> String { files + "/" + name }

    /// Creates a random file and returns its path and checksum.
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

    /// Starts `offstage`, and returns the process to follow, kill or wait for.
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

    /// The running daemons of this home, according to the kernel.
    ///
    /// A daemon's forked child has the daemon's name and environment until it executes another program. It does not
    /// count.
    package var daemonProcessIDs: [Int32] {
        let named = ForeignProcess.withEnvironment("OFFSTAGE_HOME=\(home)").filter { number in
            (try? TestFiles.text("/proc/\(number)/comm"))?.hasPrefix("offstaged") == true
        }
        return named.filter { number in
            guard let status = ForeignProcess.status(of: number) else { return false }
            return status.state != "Z" && !named.contains(status.parent)
        }
    }

    /// The running daemon.
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

    /// The output of `offstage show ID --json`.
    package func show(_ id: Int) throws -> JSONValue { try json("show", "\(id)").transfers[0] }

    /// The daemon's log; empty if there is none.
    package var log: String { (try? TestFiles.text(home + "/daemon.log")) ?? "" }
}
