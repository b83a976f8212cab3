// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// An app that speaks the stage's protocol by hand (`Tests/Fixtures/WireApp`), with its own folder, and the daemon's
/// view of it.
final class WiredApp {
    /// A line of the app's log: the time on `CLOCK_BOOTTIME`, and the text.
    struct Line: Equatable, CustomStringConvertible {
        var time: Double
        var text: String
        var description: String { text }
    }

    let daemon: DaemonFixture
    let id: String
    let folder: String
    let executable: String
    private let flags: [String]
    private let orders: Int32
    /// Kept, since a process without a reference is killed.
    private var processes: [ChildProcess] = []

    /// - Parameters:
    ///   - daemon: the daemon whose stage it uses; started if it is not running.
    ///   - name: the name of its folder.
    ///   - flags: the differences in its behaviour.
    ///   - bundle: the identifier of a bundle to create for it; nil for an app that is known by its path.
    ///   - permits: identifiers of deferred tasks that the bundle permits, with the background modes for them.
    /// - Throws: `TestError` if the app is not built.
    init(_ daemon: DaemonFixture, name: String = "app", flags: String..., bundle: String? = nil, permits: [String] = [])
        throws
    {
        self.daemon = daemon
        self.flags = flags
        folder = daemon.path(name)
        try TestFiles.makeDirectory(folder)
        guard mkfifo(folder + "/orders", 0o600) == 0 else { throw TestError.system("No FIFO can be made") }
        orders = Glibc.open(folder + "/orders", O_RDWR | O_CLOEXEC)
        let built = try BuiltProducts.path("WireApp")
        if let bundle {
            executable = try Self.makeBundle(
                bundle,
                name: name,
                of: built,
                in: daemon.path("\(name).app"),
                permits: permits
            )
            id = bundle
        } else {
            executable = built
            id = built
        }
        try daemon.startOnDemand()
    }

    deinit { close(orders) }

    private static func makeBundle(
        _ id: String,
        name: String,
        of built: String,
        in folder: String,
        permits: [String]
    ) throws -> String {
        try TestFiles.makeDirectory(folder)
        try TestFiles.write(try TestFiles.read(built), to: folder + "/\(name)", mode: 0o755)
        try TestFiles.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(id)</string>
            <key>CFBundleExecutable</key><string>\(name)</string>
            <key>CFBundleName</key><string>Wired</string>
            \(permits.isEmpty ? "" : Self.permission(permits))
            </dict></plist>
            """,
            to: folder + "/Info.plist"
        )
        return folder + "/\(name)"
    }

    private static func permission(_ identifiers: [String]) -> String {
        let list = identifiers.map { "<string>\($0)</string>" }.joined()
        return """
            <key>BGTaskSchedulerPermittedIdentifiers</key><array>\(list)</array>
            <key>UIBackgroundModes</key><array><string>fetch</string><string>processing</string></array>
            """
    }

    // MARK: The process

    /// Starts the app as a person does from a shell, and waits until it is in the foreground.
    @discardableResult
    func open() throws -> ChildProcess {
        let before = lines.count
        let process = try start()
        try line("state active", after: before)
        return process
    }

    /// Starts the app as a person does from a shell.
    func start() throws -> ChildProcess {
        let process = try ChildProcess(
            executable,
            [folder] + flags,
            environment: ChildProcess.inheritedEnvironment.merging(["OFFSTAGE_HOME": daemon.home]) { $1 },
            directory: folder
        )
        processes.append(process)
        return process
    }

    /// A connection to the daemon that belongs to the app's process, whatever its state. The caller uses and closes it.
    func connection() throws -> Int32 {
        let before = lines.count
        try order("connect")
        let said: Int32
        do {
            said = try eventually("the app's connection") {
                let line = lines.dropFirst(before).first { $0.text.hasPrefix("connected ") }
                return line.flatMap { Int32($0.text.dropFirst("connected ".count)) }
            }
        } catch {
            throw TestError("\(error) It said \(texts); the daemon: \(daemon.log)")
        }
        let process = offstage_test_pidfd_open(try processID())
        defer { close(process) }
        let taken = offstage_test_take_descriptor(process, said)
        guard taken >= 0 else { throw TestError.system("The app's connection cannot be taken") }
        return taken
    }

    /// Sends the app an order, which it reads now or later.
    func order(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
    }

    var lines: [Line] {
        ((try? TestFiles.text(folder + "/log")) ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let time = Double(parts[0]) else { return nil }
            return Line(time: time, text: String(parts[1]))
        }
    }

    /// The app's log, without process IDs.
    var texts: [String] { lines.map { $0.text.hasPrefix("started") ? "started" : $0.text } }

    /// Waits for a line.
    @discardableResult
    func line(_ text: String, after count: Int = 0, within seconds: Double = 20) throws -> Line {
        do {
            return try eventually("the app's line '\(text)'", within: seconds) {
                lines.dropFirst(count).first { $0.text == text }
            }
        } catch {
            throw TestError("\(error) It said \(texts); the daemon: \(daemon.log)")
        }
    }

    /// The ID of its last process.
    func processID() throws -> Int32 {
        let said = lines.last { $0.text.hasPrefix("started ") }?.text.dropFirst("started ".count)
        guard let number = said.flatMap({ Int32($0) }) else { throw TestError("It has not started.") }
        return number
    }

    /// The process's state letter in `/proc/PID/stat`; nil if it is gone.
    func processState() throws -> Character? {
        guard let text = try? TestFiles.text("/proc/\(try processID())/stat"), let end = text.lastIndex(of: ")")
        else { return nil }
        return text[end...].dropFirst(2).first
    }

    /// Waits until the kernel reports the process as stopped.
    func waitUntilStopped() throws {
        try eventually("the app is stopped; it said \(texts)") { try processState() == "T" ? true : nil }
    }

    /// Waits until the process is gone from the kernel's table.
    func waitUntilGone() throws {
        try eventually("the app has ended; it said \(texts)") {
            let state = try processState()
            return state == nil || state == "Z" ? true : nil
        }
    }

    // MARK: The daemon

    @discardableResult
    func act(_ verb: ActOnApp.Verb, waits: Bool = false) throws -> ActOnApp.Reply {
        do {
            return try WireClient.greeted(daemon).send(ActOnApp(app: id, verb: verb, waits: waits), within: 20)
        } catch let error as TestError {
            throw TestError("\(error) The app said \(texts); its story: \((try? story()) ?? [])")
        }
    }

    func show() throws -> ShowApp.Reply { try WireClient.greeted(daemon).send(ShowApp(app: id, reveals: true)) }

    var state: LifeState { get throws { try show().row.state } }

    /// Waits until the daemon reports this state; with a new store, it does not know the app at first.
    func wait(for state: LifeState, within seconds: Double = 20) throws {
        let found = { (try? self.state).map { "\($0)" } ?? "unknown" }
        try eventually("the app is \(state), not \(found()); it said \(texts)", within: seconds) {
            (try? self.state) == state ? true : nil
        }
    }

    func story() throws -> [AppEntry.Happening] {
        try WireClient.greeted(daemon).send(ReadAppStory(app: id)).entries.map(\.entry.happening)
    }

    /// Waits until its story has an entry that `probe` accepts.
    @discardableResult
    func entry<Found>(_ what: String, _ probe: (AppEntry.Happening) -> Found?) throws -> Found {
        try eventually("\(what) in the story") { try story().lazy.compactMap(probe).first }
    }

    /// The reasons of the recorded kills.
    func kills() throws -> [AppEntry.KillReason] {
        try story().compactMap { if case .killed(let reason) = $0 { reason } else { nil } }
    }
}
