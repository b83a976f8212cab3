// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import FoundationEssentials
import Glibc
package import OffstageClient
package import OffstageCore
import OffstageFiles

/// What a command runs in: environment, working directory, output, and the way to the daemon.
package final class CommandContext {
    package let environment: [String: String]
    /// Absolute.
    package let workingDirectory: String
    /// Why there is no working directory.
    package let directoryProblem: DirectoryProblem
    package let output: Output
    /// Whether `--json` was given.
    package let printsJSON: Bool
    /// Whether `--no-start` was not given.
    package let startsDaemon: Bool
    package let now: () -> Date
    /// Makes a descriptor that is readable when a person wants to stop; -1 when nothing is caught.
    package let catchSignals: () -> Int32
    /// Standard input, read when a command asks for it.
    package let readInput: () throws -> [UInt8]
    /// One line of standard input, as a person writes it; nil at its end.
    package let readLine: () throws -> String?
    /// A descriptor that a person's keys can be read from; -1 when there is none.
    package let keyboard: () -> Int32
    /// Makes a signal descriptor that is readable when the terminal's size has changed; -1 when there is none.
    package let catchSizes: () -> Int32
    /// Carries out a command for a fleet: this program starts another for it, which speaks to the database.
    package let fleet: (any Command, CommandContext) throws -> ExitStatus

    package init(
        environment: [String: String],
        workingDirectory: String,
        directoryProblem: DirectoryProblem? = nil,
        output: Output,
        printsJSON: Bool = false,
        startsDaemon: Bool = true,
        now: @escaping () -> Date = { Date() },
        catchSignals: @escaping () -> Int32 = { -1 },
        readInput: @escaping () throws -> [UInt8] = { [] },
        readLine: @escaping () throws -> String? = { nil },
        keyboard: @escaping () -> Int32 = { -1 },
        catchSizes: @escaping () -> Int32 = { -1 },
        fleet: @escaping (any Command, CommandContext) throws -> ExitStatus = FleetProgram.isAbsent
    ) {
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.directoryProblem = directoryProblem ?? .deleted
        self.output = output
        self.printsJSON = printsJSON
        self.startsDaemon = startsDaemon
        self.now = now
        self.catchSignals = catchSignals
        self.readInput = readInput
        self.readLine = readLine
        self.keyboard = keyboard
        self.catchSizes = catchSizes
        self.fleet = fleet
    }

    /// Where this user's daemon keeps its files.
    package func paths() throws(CommandFailure) -> OffstagePaths {
        do throws(SettingsError) {
            return try OffstagePaths.ofThisUser(environment)
        } catch {
            throw CommandFailure(error.sentence)
        }
    }

    /// The way to the daemon.
    ///
    /// - Parameters:
    ///   - mayStart: whether this command starts one at all; `--no-start` forbids it in any case.
    ///   - signals: what ends every wait, for a command that has caught its signals.
    /// - Returns: the connector.
    /// - Throws: `CommandFailure` when there is no place for a daemon's files.
    package func connector(
        mayStart: Bool = true,
        unless signals: Interruption = .none
    ) throws(CommandFailure) -> DaemonConnector {
        var connector = try DaemonConnector(
            paths: paths(),
            environment: environment,
            client: "offstage",
            startsDaemon: startsDaemon && mayStart
        )
        connector.interruption = signals
        connector.onSilence = { [output] in output.complain("offstage: \($0)".redactedControls) }
        return connector
    }

    /// A connection to the daemon, which is started if none is running.
    package func connect(mayStart: Bool = true, unless signals: Interruption = .none) throws -> DaemonConnection {
        try connector(mayStart: mayStart, unless: signals).connect()
    }

    /// Why the working directory cannot be named.
    package enum DirectoryProblem: Sendable {
        case deleted, notText

        var clause: String {
            switch self {
            case .deleted: "The working directory no longer exists"
            case .notText: "The working directory's name is not UTF-8, which file names must be"
            }
        }
    }

    /// A path made absolute.
    ///
    /// - Throws: `CommandFailure` for a relative one while there is no working directory.
    package func absolute(_ path: String) throws(CommandFailure) -> String {
        try absolute(path, otherwise: "give '\(path.redactedControls)' as an absolute path")
    }

    /// A path made absolute.
    ///
    /// - Parameters:
    ///   - path: as it was given, or `.` for the working directory.
    ///   - advice: what to do if there is no working directory.
    /// - Returns: a path that begins with `/`.
    /// - Throws: `CommandFailure` for a relative one while there is none.
    package func absolute(_ path: String, otherwise advice: String) throws(CommandFailure) -> String {
        if path.hasPrefix("/") { return path }
        guard !workingDirectory.isEmpty else {
            throw CommandFailure("\(directoryProblem.clause): \(advice).")
        }
        return workingDirectory == "/" ? "/" + path : workingDirectory + "/" + path
    }

    /// The working directory, for something that will run in it later.
    ///
    /// - Parameter why: the end of a sentence that asks for another one.
    /// - Returns: its path.
    /// - Throws: `CommandFailure` if there is none.
    package func directory(since why: String) throws(CommandFailure) -> String {
        guard !workingDirectory.isEmpty else {
            throw CommandFailure("\(directoryProblem.clause): change to another one, since \(why).")
        }
        return workingDirectory
    }

    /// The working directory; empty, with a reason, if it was deleted or cannot be named.
    package static func currentDirectory() -> (path: String, problem: DirectoryProblem?) {
        guard let path = getcwd(nil, 0) else { return ("", .deleted) }
        defer { free(path) }
        guard let text = String(validatingCString: path) else { return ("", .notText) }
        // Linux says "(unreachable)" for one that a mount has hidden.
        return text.hasPrefix("/") ? (text, nil) : ("", .deleted)
    }

    /// A descriptor for SIGINT, SIGTERM and SIGHUP, which no longer end the process.
    package static func signalDescriptor() -> Int32 {
        let descriptor = offstage_signalfd_for_daemon()
        // A closed pipe ends this command like any other; writes to sockets raise no signal.
        signal(SIGPIPE, SIG_DFL)
        return descriptor
    }
}
