// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// `Tests/Fixtures/LifeApp` in a folder of its own, what it has written down, and what the daemon says of it.
final class LivingApp {
    let daemon: DaemonFixture
    let folder: String
    let id: String
    private let orders: Int32
    private let flags: [String]
    private let executable: String

    /// - Parameters:
    ///   - daemon: the home that it lives in. The app starts the daemon itself.
    ///   - flags: what it does differently.
    ///   - information: what the `Info.plist` of its bundle says besides; nil for an app without a bundle.
    /// - Throws: `TestError` when it is not built or its folder cannot be made.
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
    /// - Returns: the process, which is killed when nothing holds it any more.
    /// - Throws: `TestError` when it cannot be started.
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

    /// Leads to the daemon.
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

    /// Tells the app something.
    func order(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
    }

    // MARK: What it has written down

    /// When, on `CLOCK_BOOTTIME`, and what.
    var lines: [(time: Double, text: String)] {
        ((try? TestFiles.text(folder + "/log")) ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let time = Double(parts[0]) else { return nil }
            return (time, String(parts[1]))
        }
    }

    /// Without the line that has the process's number.
    var texts: [String] { lines.map(\.text).filter { !$0.hasPrefix("started") } }

    /// Waits for a line that begins so, after so many lines.
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

    /// The letter that `/proc/PID/stat` has for a process.
    static func kernelState(of process: ChildProcess) -> Character? { kernelState(of: process.processID) }

    /// Whether its parent has been told that it is stopped, which is when the last of its threads is. A shell that brings it back
    /// earlier takes it for running, continues nothing, and sees it stop in front.
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

    /// Waits until the kernel shows it stopped.
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

    /// Does something with it, and waits until it is done.
    func act(_ verb: ActOnApp.Verb, waits: Bool = true) throws {
        _ = try connection().send(ActOnApp(app: id, verb: verb, waits: waits))
    }

    func show() throws -> ShowApp.Reply { try connection().send(ShowApp(app: id)) }

    /// The story, without what is known to the daemon alone.
    func story() throws -> [AppEntry.Happening] {
        try connection().send(ReadAppStory(app: id)).entries.map(\.entry.happening)
    }
}
