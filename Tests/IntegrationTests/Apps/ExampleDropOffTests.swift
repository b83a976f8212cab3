// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// An app that uploads by itself, through each way of leaving the stage: its log is compared line by line.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("DropOff"), "\(ExampleProgram.reason)"))
struct `An app that uploads by itself` {
    private let daemon: DaemonFixture
    private let app: StageApp
    private let server: FaultServer
    private let first = FaultGate()
    private let second = FaultGate()

    /// A quarter is far more than the socket buffers can hold.
    private static let size = 64 << 20
    /// Bytes that the server has read when it waits for a gate: by then the app has sent a quarter, but not half.
    private static let firstHold = 17 << 20
    private static let secondHold = 27 << 20
    private static let beginning = [
        "willFinishLaunching inactive", "didFinishLaunching inactive", "didBecomeActive active",
    ]
    private static let toBackground = ["willResignActive active", "didEnterBackground background"]
    private static let toForeground = ["willEnterForeground background", "didBecomeActive active"]
    private static let rest = ["sent 50 %", "sent 75 %", "sent 100 %", "upload answered 201"]

    init() throws {
        daemon = try DaemonFixture(settings: #"{"backgroundTime": "6"}"#)
        app = try StageApp("DropOff", daemon)
        server = try FaultServer()
        let file = daemon.path("photo.jpg")
        try TestFiles.write([], to: file)
        guard truncate(file, off_t(Self.size)) == 0 else { throw TestError.system("\(file) cannot grow") }
        server.script("/photo.jpg", .reads(heldAt: [(Self.firstHold, first), (Self.secondHold, second)]))
    }

    private func launch(_ mode: String) throws -> ChildProcess {
        try app.launch([server.url("/photo.jpg"), daemon.path("photo.jpg"), mode])
    }

    /// Launches the app, and waits until it has sent a quarter and the server reads no more.
    private func launchAndSend(_ mode: String) throws -> ChildProcess {
        let process = try launch(mode)
        try app.waitForLine("sent 25 %")
        try server.waitForUpload("/photo.jpg", bytes: Self.firstHold)
        return process
    }

    private func openGates() {
        first.open()
        second.open()
    }

    private func expect(_ lines: [String]..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(app.texts == Array(lines.joined()), "\(app.tale)", sourceLocation: sourceLocation)
    }

    /// Compares the app's successive states.
    private func expectMoves(_ states: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let moves = try app.story("moved", count: states.count).compactMap(\.to.string)
        #expect(moves == states, "\(app.tale)", sourceLocation: sourceLocation)
    }

    @Test func `in front it uploads and ends its task`() throws {
        openGates()
        let process = try launch("task")
        try app.waitForLine("task ended")
        #expect(app.state == "active")
        try app.person("terminate")
        #expect(try process.exitStatus() == .exited(0))
        expect(
            Self.beginning,
            ["task begun", "upload begun", "sent 25 %"],
            Self.rest,
            ["task ended", "willTerminate"]
        )
        #expect(server.requests("/photo.jpg").map(\.body.count) == [Self.size])
        try expectMoves("inactive", "active")
        #expect(try app.story("ended", count: 1).count == 1)
    }

    @Test func `sent to background it goes on, and is suspended when its task has ended`() throws {
        let process = try launchAndSend("task")
        try app.person("background")
        try app.waitForLine("6 s left")
        #expect(!StageApp.isStopped(process.processID), "an open task keeps it running")
        openGates()
        let ended = try app.waitForLine("task ended")
        let stopped = try app.waitUntilSuspended(process.processID)
        #expect(stopped - ended.at < 1)
        expect(
            Self.beginning,
            ["task begun", "upload begun", "sent 25 %"],
            Self.toBackground,
            ["6 s left"],
            Self.rest,
            ["task ended"]
        )
        try expectMoves("inactive", "active", "background", "suspended")
        #expect(try app.story("killed").isEmpty)
    }

    @Test func `an upload that fails in background ends its task too`() throws {
        let gate = first
        server.script(
            "/photo.jpg",
            FaultAnswer {
                try $0.readBody(heldAt: [(Self.firstHold, gate)])
                $0.close()
            }
        )
        let process = try launchAndSend("task")
        try app.person("background")
        try app.waitForLine("6 s left")
        first.open()
        try app.waitForLine("task ended")
        try app.waitUntilSuspended(process.processID)
        let failures = app.texts.filter { $0.hasPrefix("upload failed -10") }
        #expect(failures.count == 1)
        expect(
            Self.beginning,
            ["task begun", "upload begun", "sent 25 %"],
            Self.toBackground,
            ["6 s left"],
            Self.rest.dropLast(),
            failures,
            ["task ended"]
        )
    }

    @Test func `its time over, it is told so, suspended, and goes on when it is in front again`() throws {
        let process = try launchAndSend("task")
        try app.person("background")
        let told = try app.waitForLine("time is up")
        try app.waitUntilSuspended(process.processID)
        // The handlers are called a sixth of the time before its end.
        let waited = try app.gap("didEnterBackground background", "time is up")
        #expect((4.8...5.6).contains(waited), "after \(waited) s of 6")
        let expiring = try #require(try app.story("expiring", count: 1).first)
        #expect(expiring.tasks.array.compactMap(\.name.string) == ["drop off"])
        try eventually("a second of suspension") { StageApp.now > told.at + 1 ? true : nil }
        try app.person("foreground")
        try app.waitForLine("didBecomeActive active", count: 2)
        openGates()
        try app.waitForLine("upload answered 201")
        expect(
            Self.beginning,
            ["task begun", "upload begun", "sent 25 %"],
            Self.toBackground,
            ["6 s left", "time is up", "task ended"],
            Self.toForeground,
            Self.rest
        )
        #expect(try app.gap("task ended", "willEnterForeground background") > 1)
        #expect(try app.story("killed").isEmpty)
    }

    @Test func `back in front in time it is not suspended, and has all its time the next time`() throws {
        let process = try launchAndSend("task")
        try app.person("background")
        let left = try app.waitForLine("6 s left")
        try eventually("two seconds in background") { StageApp.now > left.at + 2 ? true : nil }
        try app.person("foreground")
        try app.waitForLine("didBecomeActive active", count: 2)
        try eventually("its first time is over") { StageApp.now > left.at + 6.5 ? true : nil }
        try app.person("background")
        try app.waitForLine("6 s left", count: 2)
        openGates()
        try app.waitForLine("task ended")
        try app.waitUntilSuspended(process.processID)
        expect(
            Self.beginning,
            ["task begun", "upload begun", "sent 25 %"],
            Self.toBackground,
            ["6 s left"],
            Self.toForeground,
            Self.toBackground,
            ["6 s left"],
            Self.rest,
            ["task ended"]
        )
        try expectMoves("inactive", "active", "background", "inactive", "active", "background", "suspended")
    }

    @Test func `a task that is begun and ended on the way to background is one`() throws {
        let process = try launch("late")
        try app.waitForLine("didBecomeActive active")
        try app.person("background")
        try app.waitForLine("tidied up")
        try app.waitUntilSuspended(process.processID)
        try app.person("foreground")
        try app.waitForLine("didBecomeActive active", count: 2)
        try app.person("background")
        try app.waitForLine("tidied up", count: 2)
        try app.waitUntilSuspended(process.processID)
        let round = Self.toBackground + ["6 s left", "task begun", "tidied up"]
        expect(Self.beginning, round, Self.toForeground, round)
    }

    @Test func `one that does not come back from being sent to background is killed after five seconds`() throws {
        let process = try launch("stuck")
        try app.waitForLine("didBecomeActive active")
        try daemon.run("app", "background", "--no-wait", app.id)
        let sent = try app.waitForLine("didEnterBackground background")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        let waited = StageApp.now - sent.at
        #expect((4.9...6).contains(waited), "after \(waited) s")
        expect(Self.beginning, Self.toBackground, ["6 s left"])
        let kill = try #require(try app.story("killed", count: 1).first)
        #expect(kill.cause.string == "didEnterBackgroundTooLong")
        #expect(kill.seconds.number.map { (4.9...5.5).contains($0) } == true)
        let end = try #require(try app.story("ended", count: 1).first)
        #expect(end.signal.integer == nil, "the daemon did not start it, so the kernel does not tell: \(end)")
        #expect(app.state == "terminated")
    }

    @Test func `without a task the upload stops when it is suspended, and goes on at its return`() throws {
        let process = try launchAndSend("bare")
        try app.person("background")
        try app.waitUntilSuspended(process.processID)
        first.open()
        let suspended = try #require(try app.story("moved", count: 4).last?.uptime.number)
        try eventually("two seconds of suspension") { StageApp.now > suspended + 2 ? true : nil }
        let taken = server.requests("/photo.jpg").last?.body.count ?? 0
        #expect(taken < Self.secondHold, "the server got what was in buffers, and no more")
        try app.person("foreground")
        try app.waitForLine("didBecomeActive active", count: 2)
        try server.waitForUpload("/photo.jpg", bytes: Self.secondHold)
        second.open()
        try app.waitForLine("upload answered 201")
        expect(
            Self.beginning,
            ["upload begun", "sent 25 %"],
            Self.toBackground,
            ["6 s left"],
            Self.toForeground,
            Self.rest
        )
        #expect(try app.gap("didEnterBackground background", "willEnterForeground background") > 2)
        try expectMoves("inactive", "active", "background", "suspended", "inactive", "active")
        #expect(server.requests("/photo.jpg").count == 1, "it is the same upload")
    }
}
