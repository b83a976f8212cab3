// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageRuntime

/// Shell commands that people have configured: completion commands and the credential helper. `ChildBudget` limits
/// their number and time. Used on the loop.
package final class ChildProcesses {
    private struct Command {
        var text: String
        var directory: String
        var variables: [String: String]
        /// The callback; nil for a completion command.
        var done: ((String?) -> Void)?
    }

    /// A started child that has not been reaped: its number is also its group's number.
    private struct Running {
        var due: Double
        var isKilled = false
        /// Only for a credential helper.
        var answer: Answer?
        /// The transfer of a completion command.
        var transfer: String?
    }

    /// The output of a helper.
    private final class Answer {
        let input: Int32
        var bytes: [UInt8] = []
        var watch: EventLoop.Watch?
        var done: ((String?) -> Void)?

        init(input: Int32, done: @escaping (String?) -> Void) {
            self.input = input
            self.done = done
        }
    }

    private let loop: EventLoop
    private let alarm: EventLoop.Alarm
    private let log: Log
    private let budget = ChildBudget()
    private var running: [Int32: Running] = [:]
    private var helpers = 0
    private var waitingCompletions: ArraySlice<Command> = []
    private var waitingHelpers: ArraySlice<Command> = []
    /// Called when a transfer's completion command has failed, with the transfer's number and the status as in a shell.
    package var onFailure: ((String, Int) -> Void)?

    package init(loop: EventLoop, log: Log) {
        self.loop = loop
        self.log = log
        alarm = loop.makeAlarm()
        loop.onAlarm(alarm) { [weak self] in self?.alarmRang() }
    }

    /// Starts `/bin/sh -c command` in its own session, once fewer than the limit are running. Its output goes to the
    /// daemon's log, each line with the transfer's number.
    package func run(_ command: String, in directory: String, variables: [String: String]) {
        guard waitingCompletions.count < budget.waitingCompletions else {
            return log.error(
                "a completion command was not run, since too many are already waiting",
                ["waiting": budget.waitingCompletions]
            )
        }
        waitingCompletions.append(Command(text: command, directory: directory, variables: variables))
        startNext()
    }

    /// Starts a command and calls back with its output once it has ended with status 0; with nil if it cannot be started,
    /// fails, takes too long or prints too much.
    package func read(_ command: String, variables: [String: String], then done: @escaping (String?) -> Void) {
        guard waitingHelpers.count < budget.waitingHelpers else {
            log.error(
                "the credential helper was not asked, since too many questions are already waiting",
                ["waiting": budget.waitingHelpers]
            )
            return done(nil)
        }
        waitingHelpers.append(Command(text: command, directory: "/", variables: variables, done: done))
        startNext()
    }

    /// Starts the waiting commands when the daemon stops, up to a limit.
    package func startRest() {
        var left = 64
        while left > 0, let command = waitingCompletions.popFirst() {
            start(command)
            left -= 1
        }
        let count = waitingCompletions.count
        if count > 0 {
            log.error("completion commands were not run, since the daemon stopped while they waited", ["count": count])
        }
    }

    private func startNext() {
        while running.count - helpers < budget.completions, let command = waitingCompletions.popFirst() {
            start(command)
        }
        while helpers < budget.helpers, let command = waitingHelpers.popFirst() { ask(command) }
    }

    private func start(_ command: Command) {
        let transfer = command.variables["OFFSTAGE_ID"]
        let own = transfer.flatMap(labelledLog)
        // Its output goes to the log, as a cron job's output goes to its mail.
        let streams = Streams(output: own ?? 2, errors: own ?? 2)
        let process = spawn(command.text, in: command.directory, variables: command.variables, streams)
        let code = errno
        if let own { close(own) }
        guard process > 0 else {
            return log.error("a completion command could not be started", ["reason": ErrorNumber(code)])
        }
        log.debug("a completion command was started", ["transfer": transfer ?? "", "process": process])
        running[process] = Running(due: loop.uptime + budget.completionSeconds, transfer: transfer)
        armAlarm()
    }

    /// A descriptor for the log that prefixes each line with the transfer's number; nil if there is none.
    ///
    /// A separate process labels the lines, because a command may outlive the daemon and must not end for lack of a
    /// reader.
    private func labelledLog(of transfer: String) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard offstage_pipe(&ends) == 0 else { return nil }
        let variables = ["OFFSTAGE_ID": transfer, "LC_ALL": "C"]
        let process = spawn(
            Self.labelling,
            in: "/",
            variables: variables,
            Streams(input: ends[0], output: 2, errors: 2)
        )
        close(ends[0])
        if process > 0 { return ends[1] }
        close(ends[1])
        return nil
    }

    private static let labelling = """
        label="transfer $OFFSTAGE_ID, --on-done: "
        if command -v sed >/dev/null; then exec sed -u "s/^/$label/"; fi
        while IFS= read -r line || [ -n "$line" ]; do printf '%s%s\\n' "$label" "$line"; done
        """

    private func ask(_ command: Command) {
        guard let done = command.done else { return }
        var ends: [Int32] = [-1, -1]
        guard offstage_pipe(&ends) == 0 else { return failed("a pipe", done) }
        let answer = Answer(input: ends[0], done: done)
        // Watch before the start, because a child whose answer is not received is useless.
        _ = fcntl(answer.input, F_SETFL, O_NONBLOCK)
        answer.watch = loop.watch(answer.input, events: offstage_epoll_in) { [weak self, weak answer] _ in
            if let answer { self?.readable(answer) }
        }
        guard answer.watch != nil else {
            for end in ends { close(end) }
            return failed("a watch", done)
        }
        let process = spawn(command.text, in: "/", variables: command.variables, Streams(output: ends[1]))
        let code = errno
        close(ends[1])
        guard process > 0 else {
            errno = code
            answer.done = nil
            finish(answer)
            return failed("a process", done)
        }
        helpers += 1
        running[process] = Running(due: loop.uptime + budget.helperSeconds, answer: answer)
        armAlarm()
    }

    private func failed(_ what: String, _ done: (String?) -> Void) {
        log.error("the credential helper could not be asked", ["lacking": what, "reason": ErrorNumber(errno)])
        done(nil)
    }

    /// Reads the helper's output; returns whether there may be more.
    private func readable(_ answer: Answer) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while answer.watch != nil {
            let count = Glibc.read(answer.input, &buffer, buffer.count)
            if count > 0 {
                answer.bytes += buffer[..<count]
                guard answer.bytes.count > budget.helperBytes else { continue }
                log.error(
                    "the credential helper printed too much: its answer is not used",
                    ["limit": budget.helperBytes]
                )
                kill(answer)
                return finish(answer)
            }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            // Its output counts once its exit status is known.
            return count == 0 ? closeInput(of: answer) : finish(answer)
        }
    }

    private func kill(_ answer: Answer) {
        if let process = running.first(where: { $0.value.answer === answer })?.key { kill(process) }
    }

    /// Kills the command, with all processes that it has started in its session and group.
    private func kill(_ process: Int32) {
        guard let entry = running[process], !entry.isKilled else { return }
        running[process]?.isKilled = true
        _ = Glibc.kill(-process, SIGKILL)
        if let answer = entry.answer { finish(answer) }
    }

    private func closeInput(of answer: Answer) {
        guard let watch = answer.watch else { return }
        loop.unwatch(watch)
        answer.watch = nil
        close(answer.input)
    }

    private func finish(_ answer: Answer, with isWhole: Bool = false) {
        closeInput(of: answer)
        let done = answer.done
        answer.done = nil
        done?(isWhole ? String(decoding: answer.bytes, as: UTF8.self) : nil)
    }

    /// Handles a child that has been reaped.
    private func ended(_ process: Int32, _ end: ProcessEnd) {
        guard let entry = running.removeValue(forKey: process) else { return }
        if let transfer = entry.transfer, !entry.isKilled {
            switch end {
            case .exited(0), .unknown: break
            case .exited(let status):
                log.error("a completion command ended with a failure", ["transfer": transfer, "status": status])
                onFailure?(transfer, Int(status))
            case .signalled(let signal):
                log.error("a completion command was ended by a signal", ["transfer": transfer, "signal": signal])
                onFailure?(transfer, 128 + Int(signal))  // checked: a signal's number
            }
        }
        if let answer = entry.answer {
            helpers -= 1
            // Its own children may keep the pipe open: only the helper's own output counts.
            readable(answer)
            let succeeded = [.exited(0), .unknown].contains(end)
            if answer.done != nil, !succeeded { log.error("the credential helper failed: its answer is not used") }
            finish(answer, with: succeeded)
        }
        startNext()
        armAlarm()
    }

    private func armAlarm() {
        loop.setAlarm(alarm, uptime: running.values.lazy.filter { !$0.isKilled }.map(\.due).min())
    }

    private func alarmRang() {
        let now = loop.uptime
        for (process, entry) in running where entry.due <= now && !entry.isKilled {
            let isHelper = entry.answer != nil
            let seconds = Int(isHelper ? budget.helperSeconds : budget.completionSeconds)
            log.error(
                "a command has not ended in time, and was killed",
                [
                    "command": isHelper ? "the credential helper" : "a completion command", "seconds": seconds,
                    "process": process,
                ]
            )
            kill(process)
        }
        armAlarm()
    }

    /// Takes the exit statuses of all ended children, so that none remains as a zombie.
    package func reapAll() -> [(process: Int32, end: ProcessEnd)] {
        var ends: [(process: Int32, end: ProcessEnd)] = []
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            if process < 0, errno == EINTR { continue }
            guard process > 0 else { return ends }
            let end = ProcessEnd(waitStatus: status)
            ended(process, end)
            ends.append((process, end))
        }
    }

    /// Takes the exit status of one child; nil if it has not ended, or is not a child.
    package func reap(_ process: Int32) -> ProcessEnd? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process ? ProcessEnd(waitStatus: status) : nil
    }

    /// A command's standard input, output and error; -1 for /dev/null.
    private struct Streams {
        var input: Int32 = -1
        var output: Int32
        var errors: Int32 = -1
    }

    /// - Returns: its number, which is also the number of its group and session; -1 if it cannot be started.
    private func spawn(
        _ command: String,
        in directory: String,
        variables: [String: String],
        _ streams: Streams
    ) -> Int32 {
        let environment = DaemonEnvironment.ofCommand(Self.environment(), told: variables)
        // The shell enters the folder: otherwise an unresponsive file system would block this process.
        let script = "cd -- \"$0\" && exec /bin/sh -c \"$1\""
        return Self.withCStrings(["/bin/sh", "-c", script, directory, command]) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                offstage_spawn(
                    "/bin/sh",
                    arguments,
                    variables,
                    "/",
                    streams.input,
                    streams.output,
                    streams.errors
                )
            }
        }
    }

    /// The process's environment as a dictionary.
    package static func environment() -> [String: String] {
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
    /// Decodes a status of waitpid(2).
    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
}
