// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// `Tests/Fixtures/TaskApp` in its own bundle, its log, and the daemon's view of it.
final class DeferringApp {
    static let refresh = "org.example.tasks.refresh"
    static let processing = "org.example.tasks.processing"
    static let export = "org.example.tasks.export"

    let daemon: DaemonFixture
    let folder: String
    let id = "org.example.tasks"
    private let executable: String
    private let orders: Int32
    private let arguments: [String]

    /// - Parameters:
    ///   - daemon: the home that it runs in. The app starts the daemon itself.
    ///   - words: how it registers its handlers.
    ///   - modes: `UIBackgroundModes`.
    /// - Throws: `TestError` if it is not built or its bundle cannot be made.
    init(_ daemon: DaemonFixture, _ words: String..., modes: [String] = ["fetch", "processing"]) throws {
        self.daemon = daemon
        folder = daemon.path("tasks")
        let bundle = daemon.path("Tasks.app")
        executable = bundle + "/TaskApp"
        for path in [folder, bundle] { try TestFiles.makeDirectory(path) }
        arguments = [folder] + words
        let built = try BuiltProducts.path("TaskApp")
        if link(built, executable) != 0 { try TestFiles.write(try TestFiles.read(built), to: executable, mode: 0o755) }
        try TestFiles.write(Self.information(modes), to: bundle + "/Info.plist")
        guard mkfifo(folder + "/orders", 0o600) == 0 else { throw TestError.system("No FIFO can be made") }
        orders = Glibc.open(folder + "/orders", O_RDWR | O_CLOEXEC)
    }

    deinit { close(orders) }

    private static func information(_ modes: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.example.tasks</string>
        <key>CFBundleExecutable</key><string>TaskApp</string>
        <key>BGTaskSchedulerPermittedIdentifiers</key><array>
        <string>\(refresh)</string><string>\(processing)</string><string>\(export).*</string>
        </array>
        <key>UIBackgroundModes</key><array>\(modes.map { "<string>\($0)</string>" }.joined())</array>
        </dict></plist>
        """
    }

    // MARK: The process

    /// Starts it as a person does.
    ///
    /// - Parameter environment: added to the app's.
    /// - Returns: the process, which is killed when it is no longer referenced.
    /// - Throws: `TestError` if it cannot be started.
    func start(_ environment: [String: String] = [:]) throws -> ChildProcess {
        var own = ChildProcess.inheritedEnvironment
        own["OFFSTAGE_HOME"] = daemon.home
        own["HOME"] = daemon.directory.path
        own["OFFSTAGED"] = try BuiltProducts.path("offstaged")
        return try ChildProcess(
            executable,
            arguments,
            environment: own.merging(environment) { $1 },
            directory: folder
        )
    }

    /// Starts it and waits until it is in use.
    func open() throws -> ChildProcess {
        let process = try start()
        try line("didBecomeActive")
        return process
    }

    /// Sends the app an order.
    func order(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
    }

    /// Sends the app an order, and waits for its output.
    @discardableResult
    func order(_ text: String, until beginning: String) throws -> String {
        let before = lines.count
        try order(text)
        return try line(beginning, after: before)
    }

    /// Sets the behaviour of an identifier's handler.
    func behave(_ identifier: String, _ behaviour: String) throws {
        let before = (try? TestFiles.text(folder + "/behaviour")) ?? ""
        try TestFiles.write(before + "\(identifier) \(behaviour)\n", to: folder + "/behaviour")
    }

    // MARK: What it has written down

    var lines: [String] {
        ((try? TestFiles.text(folder + "/log")) ?? "").split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        }
    }

    /// Waits for a line with this beginning, after the first `count` lines.
    @discardableResult
    func line(_ beginning: String, after count: Int = 0, within seconds: Double = 20) throws -> String {
        do {
            return try eventually("the app's line '\(beginning)'", within: seconds) {
                lines.dropFirst(count).first { $0.hasPrefix(beginning) }
            }
        } catch {
            throw TestError("\(error) It said \(lines). The daemon: \(daemon.log)")
        }
    }

    /// How many lines with this beginning it has written.
    func count(_ beginning: String) -> Int { lines.count { $0.hasPrefix(beginning) } }

    /// Waits until the kernel shows it as stopped.
    func waitUntilStopped(_ process: ChildProcess) throws {
        try eventually("the app is stopped; it said \(lines)") { () -> Bool? in
            guard let text = try? TestFiles.text("/proc/\(process.processID)/stat"), let end = text.lastIndex(of: ")")
            else { return nil }
            return text[end...].dropFirst(2).first == "T" ? true : nil
        }
    }

    // MARK: The daemon

    /// A new connection to it.
    func connection() throws -> DaemonConnection {
        let environment = ["OFFSTAGE_HOME": daemon.home]
        let paths = try OffstagePaths(environment: environment)
        return try DaemonConnector(paths: paths, environment: environment, client: "test", startsDaemon: false)
            .connect()
    }

    /// Performs an action on the app, and waits until that is done.
    func act(_ verb: ActOnApp.Verb, waits: Bool = true) throws {
        _ = try connection().send(ActOnApp(app: id, verb: verb, waits: waits))
    }

    func show() throws -> ShowApp.Reply { try connection().send(ShowApp(app: id)) }

    /// Starts a pending task now, or ends a running one.
    func simulate(_ verb: SimulateTask.Verb, _ identifier: String) throws {
        _ = try connection().send(SimulateTask(verb: verb, task: identifier))
    }

    /// Pretends that the machine has time for processing tasks, whatever it does.
    func pretendIdle() throws {
        var pretended = PretendedConditions()
        pretended.isBusy = false
        _ = try connection().send(PretendConditions(pretended: pretended))
    }

    func tasks() throws -> ListTasks.Reply { try connection().send(ListTasks(app: id)) }

    /// Waits until a task has ended with this outcome.
    @discardableResult
    func ended(_ identifier: String, within seconds: Double = 20) throws -> TaskEntry {
        do {
            return try eventually("the end of \(identifier) is on record", within: seconds) {
                try? tasks().history.first { $0.identifier == identifier }
            }
        } catch {
            throw TestError("\(error) It said \(lines). The daemon: \(daemon.log)")
        }
    }
}
