// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc

/// A program started by a test, in its own process group, with its output collected as it arrives.
package final class ChildProcess: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 2
        var status: ExitStatus?
    }

    package let processID: Int32
    private let name: String
    private let state = Monitor(State())

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the executable.
    ///   - arguments: without the program's own name.
    ///   - environment: the whole environment.
    ///   - directory: its working directory; nil for that of the test run.
    ///   - input: its whole standard input; empty for an immediate end of file.
    ///   - terminal: a descriptor for its standard output and error, instead of the collecting pipes.
    /// - Throws: `TestError` if it cannot be started.
    package init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String] = ChildProcess.inheritedEnvironment,
        directory: String? = nil,
        input: [UInt8] = [],
        terminal: Int32? = nil
    ) throws {
        name = path.pathParts.last ?? path
        let outputEnds = try Self.makePipe()
        let errorEnds = try Self.makePipe()
        let inputFile = try Self.makeInput(input)
        defer { for end in [outputEnds.write, errorEnds.write, inputFile] { close(end) } }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputFile, 0)
        posix_spawn_file_actions_adddup2(&actions, terminal ?? outputEnds.write, 1)
        posix_spawn_file_actions_adddup2(&actions, terminal ?? errorEnds.write, 2)
        if let directory { _ = offstage_test_spawn_in(&actions, directory) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        sigfillset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        )

        var child: pid_t = 0
        var argumentList = ([path] + arguments).map { strdup($0) } + [nil]
        var environmentList = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argumentList + environmentList { free(text) } }
        let code = posix_spawn(&child, path, &actions, &attributes, &argumentList, &environmentList)
        guard code == 0 else {
            close(outputEnds.read)
            close(errorEnds.read)
            throw TestError.system("\(path) cannot be started", code)
        }
        processID = child
        try collect(outputEnds.read, into: \.output)
        try collect(errorEnds.read, into: \.errors)
        try awaitEnd()
    }

    deinit { kill(SIGKILL) }

    /// The environment of the test run, without the variables that would lead a program to the tester's own daemon or
    /// proxies.
    package static var inheritedEnvironment: [String: String] {
        var result = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]
        for name in ["HOME", "LD_LIBRARY_PATH", "TSAN_OPTIONS", "USER"] {
            if let value = getenv(name) { result[name] = String(cString: value) }
        }
        return result
    }

    /// Runs a program to its end.
    ///
    /// - Throws: `TestError` if it takes longer than `seconds`; it is then killed.
    package static func run(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String] = ChildProcess.inheritedEnvironment,
        directory: String? = nil,
        input: [UInt8] = [],
        within seconds: Double = 60
    ) throws -> CommandResult {
        try ChildProcess(path, arguments, environment: environment, directory: directory, input: input)
            .result(within: seconds)
    }

    /// Waits for the end of the process and of its output.
    ///
    /// - Throws: `TestError` if that takes too long: the process, or one that inherited its output, is still running.
    package func result(within seconds: Double = 60) throws -> CommandResult {
        let limit = TimeLimit(seconds: seconds)
        let ended = state.wait(limit) { $0.openStreams == 0 ? $0.status : nil }
        guard let ended else {
            let (status, text) = state.withLock { ($0.status, $0.output + $0.errors) }
            kill(SIGKILL)
            throw TestError(
                status == nil
                    ? "\(name) was still running after \(seconds) s; it had said: \(String(decoding: text, as: UTF8.self))"
                    : "\(name) has ended, but something it started still holds its output open."
            )
        }
        return CommandResult(status: ended, output: output, errors: errors)
    }

    /// Waits for the end of the process alone.
    package func exitStatus(within seconds: Double = 60) throws -> ExitStatus {
        guard let status = state.wait(TimeLimit(seconds: seconds), until: { $0.status }) else {
            throw TestError("\(name) was still running after \(seconds) s.")
        }
        return status
    }

    package var isRunning: Bool { state.withLock { $0.status == nil } }
    package var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    package var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// The complete lines of standard output. A program may write a line in several pieces.
    package var lines: [String] {
        let output = state.withLock { $0.output }
        let parts = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Waits for a complete line of standard output that `probe` accepts.
    package func line<Found>(within seconds: Double = 20, where probe: (String) -> Found?) throws -> Found {
        var seen = 0
        let found = state.wait(TimeLimit(seconds: seconds)) { state -> Found? in
            while let end = state.output[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: state.output[seen..<end], as: UTF8.self)
                seen = end + 1
                if let found = probe(text) { return found }
            }
            return nil
        }
        guard let found else {
            throw TestError("\(name) did not print the line in \(seconds) s, only: \(output)\(errors)")
        }
        return found
    }

    /// Sends a signal, unless the process has ended.
    package func kill(_ signal: Int32) {
        state.withLock { if $0.status == nil { _ = Glibc.kill(processID, signal) } }
    }

    /// Sends a signal to the process group, unless the process has ended.
    package func killGroup(_ signal: Int32) {
        state.withLock { if $0.status == nil { _ = Glibc.kill(-processID, signal) } }
    }

    private func collect(_ end: Int32, into buffer: any WritableKeyPath<State, [UInt8]> & Sendable) throws {
        let state = state
        try TestThread.start {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(end, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                state.withLock { $0[keyPath: buffer].append(contentsOf: bytes[..<count]) }
            }
            close(end)
            state.withLock { $0.openStreams -= 1 }
        }
    }

    private func awaitEnd() throws {
        let state = state
        let child = processID
        try TestThread.start {
            // Waits without reaping: the process ID stays taken until no more signals can be sent to it.
            var information = siginfo_t()
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            state.withLock {
                var status: Int32 = 0
                waitpid(child, &status, 0)
                $0.status = ExitStatus(waitStatus: status)
            }
        }
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard offstage_test_pipe(&ends) == 0 else { throw TestError.system("No pipe can be made") }
        return (ends[0], ends[1])
    }

    /// Uses a file rather than a pipe: a program that does not read it cannot end the test with SIGPIPE.
    private static func makeInput(_ bytes: [UInt8]) throws -> Int32 {
        guard !bytes.isEmpty else { return open("/dev/null", O_RDONLY | O_CLOEXEC) }
        var template = Array("/tmp/osi.XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw TestError.system("No input file can be made") }
        unlink(template)
        guard fcntl(file, F_SETFD, FD_CLOEXEC) == 0, write(file, bytes, bytes.count) == bytes.count,
            lseek(file, 0, SEEK_SET) == 0
        else { throw TestError.system("No input file can be written") }
        return file
    }
}
