// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport

/// A shell and the processes that it starts, whose numbers it writes to files; all of them are killed with it.
final class Family: Sendable {
    let shell: ChildProcess
    private let folder: TemporaryDirectory

    /// - Parameters:
    ///   - script: the shell's commands, run in its own folder; they name each member by writing a number into a file.
    ///   - members: the names of the files; waited for, so that no late member is left over at the end.
    ///   - terminal: its standard output and error.
    /// - Throws: `TestError` if it cannot be started.
    init(_ script: String, members: [String], terminal: Int32? = nil) throws {
        folder = try TemporaryDirectory()
        shell = try ChildProcess("/bin/sh", ["-c", script], directory: folder.path, terminal: terminal)
        for name in members { _ = try identity(name) }
    }

    deinit { end() }

    /// Kills all remaining members.
    func end() {
        for name in TestFiles.names(in: folder.path) {
            if let identity = found(name) { AppProcess.open(identity)?.kill() }
        }
        shell.killGroup(SIGKILL)
    }

    /// The member whose number is in the file.
    func identity(_ name: String) throws -> ProcessIdentity {
        try eventually("\(name) has said who it is") { found(name) }
    }

    private func found(_ name: String) -> ProcessIdentity? {
        guard let text = try? TestFiles.text(folder.path(name)), text.hasSuffix("\n") else { return nil }
        return Int32(text.dropLast()).flatMap { ProcessStatus.read($0)?.identity }
    }

    func process(_ name: String) throws -> AppProcess {
        let identity = try identity(name)
        guard let process = AppProcess.open(identity) else { throw TestError("\(name) has ended.") }
        return process
    }

    func isStopped(_ name: String) throws -> Bool {
        let number = try identity(name).number
        guard let status = ProcessStatus.read(number) else { throw TestError("\(name) has ended.") }
        return status.isStopped
    }

    func awaitStopped(_ name: String) throws {
        try eventually("\(name) is stopped") { try isStopped(name) ? true : nil }
    }

    func awaitRunning(_ name: String) throws {
        try eventually("\(name) is not stopped") { try isStopped(name) ? nil : true }
    }
}
