// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Glibc
import OffstageTestSupport
import Testing

/// The app that uploads a file to Dropbox: with its own client as on a phone, with the daemon's account, and by the
/// daemon alone, with the app killed after the hand-over.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("DropOff"), "\(ExampleProgram.reason)"))
struct `An app that drops a file off at Dropbox` {
    private let daemon: DaemonFixture
    private let app: StageApp
    private let emulator: DropboxEmulatorServer

    private static let size = 24 << 20
    private static let place = "/DropOff/photo.jpg"
    private static let beginning = [
        "willFinishLaunching inactive", "didFinishLaunching inactive", "didBecomeActive active",
    ]
    private static let callbacks = ["uploaded \(place)", "task ended"]

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"retryBaseDelay": 0.1, "retryMaximumDelay": 1, "backgroundTime": "6"}"#
        )
        app = try StageApp("DropOff", daemon)
        emulator = try DropboxEmulatorServer()
        try daemon.signIn(to: emulator)
    }

    private func launch(_ mode: String, bytes: Int = size, name: String = "photo.jpg") throws -> ChildProcess {
        try TestFiles.makeRandom(daemon.path(name), bytes: bytes, seed: 1)
        return try app.launch(
            ["\(emulator.address)/2", daemon.path(name), mode],
            environment: ["DROPBOX_TOKEN": emulator.issueToken().access]
        )
    }

    private func kill(_ process: ChildProcess) throws {
        process.kill(SIGKILL)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
    }

    /// Expects that the file arrived whole and was committed once.
    private func expectFile(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try eventually("the file is there", within: 60) { emulator.file(Self.place) }
        #expect(emulator.file(Self.place)?.size == Int64(Self.size), sourceLocation: sourceLocation)
        #expect(emulator.record.commits == 1, sourceLocation: sourceLocation)
    }

    private func holdChunks() {
        let slow = DropboxFault.slow(latency: 0, bytesPerSecond: 12_000_000)
        emulator.setFaults([.init(slow, on: .append), .init(slow, on: .finish)])
    }

    @Test(arguments: ["client", "account"])
    func `a task begun, an upload, a callback, the task ended: the same with its own client and with the account`(
        mode: String
    ) throws {
        let process = try launch(mode, bytes: 1_000_000)
        try app.waitForLine("task ended")
        #expect(app.texts == Self.beginning + ["task begun", "upload begun"] + Self.callbacks, "\(app.tale)")
        #expect(emulator.file(Self.place)?.size == 1_000_000)
        try app.person("terminate")
        #expect(try process.exitStatus() == .exited(0))
    }

    /// The app's own client sends the path in a header, which may contain neither quotes nor non-ASCII letters.
    @Test(arguments: ["client", "account"])
    func `a name is what it is, whatever letters it has`(mode: String) throws {
        let name = "ü \"quoted\" 日本 😀.jpg"
        _ = try launch(mode, bytes: 1000, name: name)
        try app.waitForLine("task ended")
        #expect(app.texts.suffix(2) == ["uploaded /DropOff/\(name)", "task ended"], "\(app.tale)")
        #expect(emulator.file("/DropOff/\(name)")?.size == 1000)
    }

    @Test(arguments: ["client", "account"])
    func `a failure is called back, and ends the task too`(mode: String) throws {
        let refused = EmulatorJSON.object([".tag": "path", "reason": [".tag": "insufficient_space"]])
        emulator.setFaults([.init(.error(refused, effect: false), on: .upload)])
        _ = try launch(mode, bytes: 1_000_000)
        try app.waitForLine("task ended")
        let code = mode == "client" ? "-1011" : "-3003"
        #expect(app.texts.suffix(2) == ["upload failed \(code)", "task ended"], "\(app.tale)")
        #expect(emulator.files.isEmpty)
    }

    @Test func `sent to background with its task it hears of the file, and is suspended`() throws {
        holdChunks()
        let process = try launch("account")
        try app.waitForLine("upload begun")
        try app.person("background")
        try app.waitForLine("task ended")
        // In background the app may be woken for its session, which sooner or later reports that there are no more
        // events.
        let texts = app.texts.filter { !$0.hasPrefix("events ") }
        #expect(texts.suffix(2) == Self.callbacks[...], "\(app.tale)")
        try app.waitUntilSuspended(process.processID)
        try expectFile()
    }

    @Test func `with its own client a killed app has uploaded nothing`() throws {
        emulator.setFaults([.init(.slow(latency: 0, bytesPerSecond: 4_000_000), on: .upload)])
        let process = try launch("client")
        try app.waitForLine("upload begun")
        try eventually("its request is there") { emulator.record.calls(.upload) == 1 ? true : nil }
        try kill(process)
        let answers = try eventually("its request has ended") { emulator.record.answers["files/upload"] }
        #expect(answers == ["lost": 1])
        #expect(emulator.files.isEmpty)
    }

    @Test(arguments: ["account", "daemon"])
    func `killed after it has handed the file over, it is launched to hear that the file is there`(mode: String) throws
    {
        holdChunks()
        let process = try launch(mode)
        try app.waitForLine(mode == "account" ? "upload begun" : "handed over")
        try eventually("the daemon has begun") { emulator.record.calls(.append) > 0 ? true : nil }
        try kill(process)
        try expectFile()
        try app.waitForLine("events handled", within: 60)
        let heard = app.texts.drop { $0 != "willFinishLaunching background" }
        #expect(heard.contains("uploaded \(Self.place)"), "\(app.tale)")
        #expect(heard.filter { $0.hasPrefix("uploaded") }.count == 1, "\(app.tale)")
        #expect(!app.texts.contains { $0.hasPrefix("upload failed") }, "\(app.tale)")
        #expect(emulator.record.bytesReceivedTwice == 0)
        #expect(emulator.record.calls(.start) == 1)
    }

    @Test func `the daemon is killed as well, and the file is there once`() throws {
        holdChunks()
        let process = try launch("daemon")
        try app.waitForLine("handed over")
        try eventually("a chunk is there") { emulator.record.answers(.append, 200) > 0 ? true : nil }
        try daemon.killDaemon()
        try kill(process)
        try daemon.startOnDemand()
        try expectFile()
        try app.waitForLine("events handled", within: 60)
        #expect(app.texts.filter { $0.hasPrefix("uploaded") } == ["uploaded \(Self.place)"], "\(app.tale)")
        #expect(emulator.record.chunksReceivedTwice <= 1)
        #expect(emulator.record.calls(.start) == 1, "nothing is begun anew")
    }
}
