// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A program of the Examples package in its own bundle, used as a person uses an app: launched by hand, then sent to
/// background and back with `offstage app`.
final class StageApp {
    /// One line of `events.log`.
    struct Line: Equatable {
        /// Seconds on `CLOCK_BOOTTIME`.
        var at: Double
        var text: String
    }

    /// Its bundle identifier.
    let id: String
    /// The folder for its data.
    let folder: String
    let executable: String
    private let daemon: DaemonFixture
    /// The processes launched by the test, which live until the test is over.
    private var launched: [ChildProcess] = []

    init(_ name: String, _ daemon: DaemonFixture) throws {
        guard let built = ExampleProgram.path(name) else { throw TestError("\(name) is not built.") }
        self.daemon = daemon
        id = "com.example.\(name)"
        folder = daemon.directory.path("app")
        let bundle = daemon.directory.path("\(name).app")
        executable = "\(bundle)/\(name)"
        for path in [folder, bundle] { try TestFiles.makeDirectory(path) }
        if link(built, executable) != 0 { try TestFiles.write(try TestFiles.read(built), to: executable, mode: 0o755) }
        let sources = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Examples/Sources"
        try TestFiles.write(try TestFiles.read("\(sources)/\(name)/Info.plist"), to: "\(bundle)/Info.plist")
    }

    /// Starts the app by hand, with its folder and further arguments, and no terminal.
    func launch(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        let process = try ChildProcess(
            executable,
            [folder] + arguments,
            environment: ChildProcess.inheritedEnvironment.merging(
                ["OFFSTAGE_HOME": daemon.home, "OFFSTAGED": BuiltProducts.path("offstaged")]
            ) { $1 }.merging(environment) { $1 },
            directory: daemon.files
        )
        launched.append(process)
        return process
    }

    /// Runs `offstage app VERB OPTION… ID`.
    @discardableResult
    func person(_ verb: String, _ options: String...) throws -> CommandResult {
        let result = try daemon.run(["app", verb] + options + [id])
        guard result.isSuccess else { throw TestError("offstage app \(verb) \(id): \(result)") }
        return result
    }

    // MARK: What it has noted

    /// The app's log over all launches, without an incomplete last line.
    var log: [Line] {
        let text = (try? TestFiles.text(folder + "/events.log")) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let at = Double(words[0]) else { return nil }
            return Line(at: at, text: String(words[1]))
        }
    }

    var texts: [String] { log.map(\.text) }

    /// Waits until the app has logged a line so many times.
    @discardableResult
    func waitForLine(_ text: String, count: Int = 1, within seconds: Double = 30) throws -> Line {
        do {
            return try eventually("the line '\(text)'", within: seconds) {
                let found = log.filter { $0.text == text }
                return found.count >= count ? found[count - 1] : nil
            }
        } catch let error as TestError {
            throw TestError("\(error) \(evidence)")
        }
    }

    /// The seconds between the first line with each text.
    func gap(_ first: String, _ second: String) throws -> Double {
        let lines = log
        guard let from = lines.first(where: { $0.text == first }), let to = lines.first(where: { $0.text == second })
        else { throw TestError("'\(first)' and '\(second)' are not both in: \(texts)") }
        return to.at - from.at
    }

    // MARK: What the daemon says

    /// The entries of `offstage app log`.
    var story: [JSONValue] {
        get throws { try daemon.json("app", "log", "--all", id).entries.array }
    }

    /// The entries of one kind, once there are so many: an entry appears once it is durable, a little later.
    func story(_ event: String, count: Int) throws -> [JSONValue] {
        var entries: [JSONValue] = []
        do {
            try eventually("\(count) entries '\(event)'") {
                entries = try story.filter { $0.event.string == event }
                return entries.count >= count ? true : nil
            }
        } catch let error as TestError {
            throw TestError("\(error) \(evidence)")
        }
        return entries
    }

    /// The current entries of one kind.
    func story(_ event: String) throws -> [JSONValue] { try story.filter { $0.event.string == event } }

    /// The known facts about the app, for failures.
    private var evidence: String {
        let ends = launched.filter { !$0.isRunning }
            .map { "Process \($0.processID) has ended: \((try? $0.result(within: 1)).map { "\($0)" } ?? "unknown")." }
        return "It has noted: \(texts). \(ends.joined(separator: " ")) Its story: \(tale)"
    }

    /// The story in human-readable form, for failures.
    var tale: String { (try? daemon.run(["app", "log", "--all", id]).output) ?? "unknown" }

    var state: String? { try? daemon.json("app", "info", id).state.string }

    /// The app's current process, according to the daemon.
    func process() throws -> ForeignProcess {
        guard let number = try daemon.json("app", "info", id).process.integer else {
            throw TestError("\(id) has no process. Its story: \(tale)")
        }
        return try ForeignProcess(Int32(number))
    }

    /// Waits until the kernel has stopped the process and the daemon reports it, and returns the time.
    @discardableResult
    func waitUntilSuspended(_ process: Int32, within seconds: Double = 20) throws -> Double {
        do {
            try eventually("process \(process) is stopped", within: seconds) {
                Self.isStopped(process) ? true : nil
            }
            let seen = Self.now
            try eventually("\(id) is suspended") { state == "suspended" ? true : nil }
            return seen
        } catch let error as TestError {
            throw TestError("\(error) \(evidence)")
        }
    }

    /// Whether the process is stopped, according to the state letter after the name in parentheses.
    static func isStopped(_ process: Int32) -> Bool {
        guard let text = try? TestFiles.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return text[end...].dropFirst(2).first == "T"
    }

    /// Seconds on the clock of the log lines.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
