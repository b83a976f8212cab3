// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import FoundationEssentials
import Glibc
package import OffstageClient
package import OffstageCore
import OffstageFiles

/// The context of a command: environment, working directory, output, and access to the daemon.
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
    /// Creates a descriptor that is readable when the user wants to stop; -1 if no signals are caught.
    package let catchSignals: () -> Int32
    /// Standard input, read when a command asks for it.
    package let readInput: () throws -> [UInt8]
    /// One line of standard input, as typed; nil at its end.
    package let readLine: () throws -> String?
    /// A descriptor for reading keys; -1 if there is none.
    package let keyboard: () -> Int32
    /// Creates a signal descriptor that is readable when the terminal's size has changed; -1 if there is none.
    package let catchSizes: () -> Int32
    /// Carries out a command for a fleet, by starting another program that accesses the database.
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

    /// Creates a connector to the daemon.
    ///
    /// - Parameters:
    ///   - mayStart: whether this command may start a daemon; `--no-start` always forbids it.
    ///   - signals: interrupts every wait, for a command that has caught its signals.
    /// - Returns: the connector.
    /// - Throws: `CommandFailure` if there is no place for a daemon's files.
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

    /// Why the working directory has no path.
    package enum DirectoryProblem: Sendable {
        case deleted, notText

        var clause: String {
            switch self {
            case .deleted: "The working directory no longer exists"
            case .notText: "The working directory's name is not UTF-8, which file names must be"
            }
        }
    }

    /// Makes a path absolute.
    ///
    /// - Throws: `CommandFailure` for a relative path if there is no working directory.
    package func absolute(_ path: String) throws(CommandFailure) -> String {
        try absolute(path, otherwise: "give '\(path.redactedControls)' as an absolute path")
    }

    /// Makes a path absolute.
    ///
    /// - Parameters:
    ///   - path: the path as given, or `.` for the working directory.
    ///   - advice: what to do if there is no working directory.
    /// - Returns: a path that begins with `/`.
    /// - Throws: `CommandFailure` for a relative path if there is none.
    package func absolute(_ path: String, otherwise advice: String) throws(CommandFailure) -> String {
        if path.hasPrefix("/") { return path }
        guard !workingDirectory.isEmpty else {
            throw CommandFailure("\(directoryProblem.clause): \(advice).")
        }
        return workingDirectory == "/" ? "/" + path : workingDirectory + "/" + path
    }

    /// The working directory, for a later use.
    ///
    /// - Parameter why: the end of a sentence that asks for another directory.
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
        // Linux returns "(unreachable)" for a directory hidden by a mount.
        return text.hasPrefix("/") ? (text, nil) : ("", .deleted)
    }

    /// A descriptor for SIGINT, SIGTERM and SIGHUP, which no longer end the process.
    package static func signalDescriptor() -> Int32 {
        let descriptor = offstage_signalfd_for_daemon()
        // A closed pipe ends this command like any other. Writes to sockets raise no signal.
        signal(SIGPIPE, SIG_DFL)
        return descriptor
    }
}
