// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// `Tests/Fixtures/LifeApp` in its own folder, its log, and the daemon's view of it.
final class LivingApp {
    let daemon: DaemonFixture
    let folder: String
    let id: String
    private let orders: Int32
    private let flags: [String]
    private let executable: String

    /// - Parameters:
    ///   - daemon: the home that it runs in. The app starts the daemon itself.
    ///   - flags: its differences in behaviour.
    ///   - information: additional entries of its bundle's `Info.plist`; nil for an app without a bundle.
    /// - Throws: `TestError` if it is not built or its folder cannot be made.
    init(_ daemon: DaemonFixture, flags: String..., information: String? = nil) throws {
        self.daemon = daemon
        self.flags = flags
        let built = try BuiltProducts.path("LifeApp")
        if let information {
            id = "org.example.life"
            let bundle = daemon.path("Life.app")
            executable = bundle + "/LifeApp"
            try TestFiles.makeDirectory(bundle)
            if link(built, executable) != 0 {
                try TestFiles.write(try TestFiles.read(built), to: executable, mode: 0o755)
            }
            let keys =
                "<key>CFBundleIdentifier</key><string>\(id)</string>"
                + "<key>CFBundleExecutable</key><string>LifeApp</string>"
            let plist = "<plist version=\"1.0\"><dict>\(keys)\(information)</dict></plist>"
            try TestFiles.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(plist)\n", to: bundle + "/Info.plist")
        } else {
            (id, executable) = (built, built)
        }
        folder = daemon.path("life")
        try TestFiles.makeDirectory(folder)
        guard mkfifo(folder + "/orders", 0o600) == 0 else { throw TestError.system("No FIFO can be made") }
        orders = Glibc.open(folder + "/orders", O_RDWR | O_CLOEXEC)
    }

    deinit { close(orders) }

    // MARK: The process

    /// Starts it as a person does.
    ///
    /// - Parameters:
    ///   - environment: added to the app's.
    ///   - shell: a line of a shell in which `$@` is the app; nil for no shell.
    /// - Returns: the process, which is killed when it is no longer referenced.
    /// - Throws: `TestError` if it cannot be started.
    func start(_ environment: [String: String] = [:], shell: String? = nil) throws -> ChildProcess {
        let own = try self.environment
        let words = (shell.map { ["/bin/sh", "-c", $0, "sh"] } ?? []) + [executable, folder] + flags
        return try ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: own.merging(environment) { $1 },
            directory: folder
        )
    }

    /// Directs the app to the daemon.
    var environment: [String: String] {
        get throws {
            var own = ChildProcess.inheritedEnvironment
            own["OFFSTAGE_HOME"] = daemon.home
            own["HOME"] = daemon.directory.path
            own["OFFSTAGED"] = try BuiltProducts.path("offstaged")
            return own
        }
    }

    /// Starts it and waits until it is in use.
    func open(
        _ environment: [String: String] = [:],
        until beginning: String = "posted didBecomeActive (active)"
    ) throws -> ChildProcess {
        let process = try start(environment)
        try line(beginning)
        return process
    }

    /// Sends the app an order.
    func order(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
    }

    // MARK: What it has written down

    /// The time, on `CLOCK_BOOTTIME`, and the text of each line.
    var lines: [(time: Double, text: String)] {
        ((try? TestFiles.text(folder + "/log")) ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let time = Double(parts[0]) else { return nil }
            return (time, String(parts[1]))
        }
    }

    /// The texts without the line that has the process's number.
    var texts: [String] { lines.map(\.text).filter { !$0.hasPrefix("started") } }

    /// Waits for a line with this beginning, after the first `count` lines.
    @discardableResult
    func line(
        _ beginning: String,
        after count: Int = 0,
        within seconds: Double = 20
    ) throws -> (time: Double, text: String) {
        do {
            return try eventually("the app's line '\(beginning)'", within: seconds) {
                lines.dropFirst(count).first { $0.text.hasPrefix(beginning) }
            }
        } catch {
            throw TestError("\(error) It said \(texts). The daemon: \(daemon.log)")
        }
    }

    /// A process's state letter in `/proc/PID/stat`.
    static func kernelState(of process: ChildProcess) -> Character? { kernelState(of: process.processID) }

    /// Whether its parent has been notified that it is stopped, which happens when its last thread is. A shell that
    /// brings it back earlier considers it running, continues nothing, and sees it stop in the foreground.
    static func isStopped(_ process: Int32) -> Bool {
        let threads = TestFiles.names(in: "/proc/\(process)/task")
        return !threads.isEmpty && threads.allSatisfy { kernelState(in: "/proc/\(process)/task/\($0)/stat") == "T" }
    }

    static func kernelState(of process: Int32) -> Character? { kernelState(in: "/proc/\(process)/stat") }

    private static func kernelState(in file: String) -> Character? {
        guard let text = try? TestFiles.text(file), let end = text.lastIndex(of: ")")
        else { return nil }
        return text[end...].dropFirst(2).first
    }

    /// Waits until the kernel shows it as stopped.
    func waitUntilStopped(_ process: ChildProcess) throws {
        try eventually("the app is stopped; it said \(texts)") { Self.isStopped(process.processID) ? true : nil }
    }

    // MARK: The daemon

    func connection() throws -> DaemonConnection {
        let environment = ["OFFSTAGE_HOME": daemon.home]
        let paths = try OffstagePaths(environment: environment)
        return try DaemonConnector(paths: paths, environment: environment, client: "test", startsDaemon: false)
            .connect()
    }

    /// Performs an action on it, and waits until that is done.
    func act(_ verb: ActOnApp.Verb, waits: Bool = true) throws {
        _ = try connection().send(ActOnApp(app: id, verb: verb, waits: waits))
    }

    func show() throws -> ShowApp.Reply { try connection().send(ShowApp(app: id)) }

    /// The story, without the entries that only the daemon knows of.
    func story() throws -> [AppEntry.Happening] {
        try connection().send(ReadAppStory(app: id)).entries.map(\.entry.happening)
    }
}
