// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// Shell commands that people configured: completion commands and the credential helper. Used on the loop.
final class ChildProcesses {
    private let loop: EventLoop

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Starts `/bin/sh -c command` in a session of its own, its output going nowhere.
    func run(_ command: String, in directory: String, variables: [String: String]) {
        _ = spawn(command, directory: directory, variables: variables, output: nil)
    }

    /// Starts a command and calls back with what it printed once it has closed its output.
    func read(_ command: String, variables: [String: String], then done: @escaping (String?) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard offstage_pipe(&ends) == 0 else { return done(nil) }
        let input = ends[0]
        let hasStarted = spawn(command, directory: "/", variables: variables, output: ends[1])
        close(ends[1])
        guard hasStarted else {
            close(input)
            return done(nil)
        }
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var watch: EventLoop.Watch?
        watch = loop.watch(input, events: offstage_epoll_in) { [loop] _ in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(input, &buffer, buffer.count)
            if count > 0, bytes.count < 65_536 {
                bytes += buffer[..<count]
            } else if count >= 0 || errno != EAGAIN {
                if let watch { loop.unwatch(watch) }
                close(input)
                done(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Takes the exit statuses of all children that have ended, so that none stays as a zombie.
    func reapAll() -> [(process: Int32, end: ProcessEnd)] {
        var ends: [(process: Int32, end: ProcessEnd)] = []
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return ends }
            ends.append((process, ProcessEnd(waitStatus: status)))
        }
    }

    /// Takes the exit status of one child; nil when it has not ended, or is none.
    func reap(_ process: Int32) -> ProcessEnd? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process ? ProcessEnd(waitStatus: status) : nil
    }

    private func spawn(_ command: String, directory: String, variables: [String: String], output: Int32?) -> Bool {
        var environment = Self.environment()
        for (name, value) in variables { environment[name] = value }
        environment["OFFSTAGE_READY_FD"] = nil
        environment["NOTIFY_SOCKET"] = nil
        return Self.withCStrings(["/bin/sh", "-c", command]) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                offstage_spawn("/bin/sh", arguments, variables, directory, -1, output ?? -1, -1) > 0
            }
        }
    }

    /// The process's environment as a dictionary.
    static func environment() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return result
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }
}

extension ProcessEnd {
    /// Takes apart what waitpid(2) says.
    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
}
