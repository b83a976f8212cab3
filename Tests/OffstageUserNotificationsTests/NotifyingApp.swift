// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// `Tests/Fixtures/NoticeApp` in its own bundle, its log, and the daemon's view of it.
final class NotifyingApp {
    let daemon: DaemonFixture
    let folder: String
    let id = "org.example.notices"
    private let executable: String
    private let orders: Int32
    private let arguments: [String]

    /// - Parameters:
    ///   - daemon: the home that it runs in. The app starts the daemon itself.
    ///   - words: its behaviour.
    /// - Throws: `TestError` if it is not built or its bundle cannot be made.
    init(_ daemon: DaemonFixture, _ words: String...) throws {
        self.daemon = daemon
        folder = daemon.path("notices")
        let bundle = daemon.path("Notices.app")
        executable = bundle + "/NoticeApp"
        for path in [folder, bundle] { try TestFiles.makeDirectory(path) }
        arguments = [folder] + words
        let built = try BuiltProducts.path("NoticeApp")
        if link(built, executable) != 0 { try TestFiles.write(try TestFiles.read(built), to: executable, mode: 0o755) }
        try TestFiles.write(Self.information, to: bundle + "/Info.plist")
        guard mkfifo(folder + "/orders", 0o600) == 0 else { throw TestError.system("No FIFO can be made") }
        orders = Glibc.open(folder + "/orders", O_RDWR | O_CLOEXEC)
    }

    deinit { close(orders) }

    private static let information = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.example.notices</string>
        <key>CFBundleDisplayName</key><string>Plants</string>
        <key>CFBundleExecutable</key><string>NoticeApp</string>
        </dict></plist>
        """

    /// Starts it as a person does, with additional variables, and waits until it is in use.
    func open(_ environment: [String: String] = [:]) throws -> ChildProcess {
        var own = ChildProcess.inheritedEnvironment
        own["OFFSTAGE_HOME"] = daemon.home
        own["HOME"] = daemon.directory.path
        own["OFFSTAGED"] = try BuiltProducts.path("offstaged")
        let process = try ChildProcess(
            executable,
            arguments,
            environment: own.merging(environment) { $1 },
            directory: folder
        )
        try line("didBecomeActive")
        return process
    }

    /// Sends the app an order, and waits for its output.
    @discardableResult
    func order(_ text: String, until beginning: String) throws -> String {
        let before = lines.count
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
        return try line(beginning, after: before)
    }

    var lines: [String] {
        ((try? TestFiles.text(folder + "/log")) ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits for a line with this beginning, after the first `count` lines.
    @discardableResult
    func line(_ beginning: String, after count: Int = 0) throws -> String {
        do {
            return try eventually("the app's line '\(beginning)'") {
                lines.dropFirst(count).first { $0.hasPrefix(beginning) }
            }
        } catch {
            throw TestError("\(error) It said \(lines). The daemon: \(daemon.log)")
        }
    }

    func connection() throws -> DaemonConnection {
        let environment = ["OFFSTAGE_HOME": daemon.home]
        let paths = try OffstagePaths(environment: environment)
        return try DaemonConnector(paths: paths, environment: environment, client: "test", startsDaemon: false)
            .connect()
    }

    func act(_ verb: ActOnApp.Verb) throws {
        _ = try connection().send(ActOnApp(app: id, verb: verb, waits: true))
    }

    var state: LifeState { get throws { try connection().send(ShowApp(app: id)).row.state } }

    func waitUntil(_ state: LifeState) throws {
        try eventually("the app is \(state.rawValue); it said \(lines)") { try self.state == state ? true : nil }
    }

    func rows() throws -> [NotificationRow] { try connection().send(ListNotifications(app: id)).rows }

    /// Waits until a notification has been delivered.
    @discardableResult
    func delivered(_ identifier: String) throws -> NotificationRow {
        try eventually("\(identifier) is delivered; the daemon: \(daemon.log)") {
            try rows().first { $0.identifier == identifier && $0.isDelivered }
        }
    }

    func answer(_ identifier: String, _ options: String...) throws -> CommandResult {
        try daemon.run(["notifications", "answer", id, identifier] + options)
    }

    /// Waits until its story has a line with these words.
    @discardableResult
    func story(_ words: String) throws -> String {
        try eventually("its story has '\(words)': \(try daemon.run("app", "log", id).output)") {
            try daemon.run("app", "log", id).output.split(separator: "\n").map(String.init).first { $0.contains(words) }
        }
    }
}
