// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Apps that are woken or launched for events of their background sessions.
@Suite(.serialized) struct `An app off stage` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let gate = FaultGate()

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        for task in 1...3 { server.script("/\(task)", .held(gate, then: .status(201))) }
    }

    /// A foreground app that has handed over uploads, which the gate holds back.
    private func uploading(_ count: Int, flags: String...) throws -> (app: WiredApp, process: ChildProcess) {
        let app =
            flags.isEmpty
            ? try WiredApp(daemon)
            : try WiredApp(daemon, flags: flags[0])
        let process = try app.open()
        let file = try daemon.makeFile("body", bytes: 1000)
        try app.order("upload s \(file.path) \(server.url("/")) \(count)")
        try app.line("uploading")
        for task in 1...count { try server.waitForRequests("/\(task)", count: 1) }
        return (app, process)
    }

    @Test func `a suspended app is woken once, when the last of its tasks has ended`() throws {
        let (app, _) = try uploading(3)
        try app.act(.background)
        try app.waitUntilStopped()
        let before = app.lines.count
        gate.open()
        try app.line("handled s", after: before)
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        #expect(
            app.texts.dropFirst(before) == ["enterBackground", "handleEvents s", "handled s", "state background"]
                || app.texts.dropFirst(before) == [
                    "enterBackground", "state background", "handleEvents s", "handled s",
                ],
            "\(app.texts.dropFirst(before))"
        )
        try app.entry("handled events") { $0 == .handledEvents(session: "s") ? true : nil }
        #expect(try app.story().count { $0 == .woken(.sessionEvents("s")) } == 1)
    }

    @Test func `an app that has ended is launched in background for its session`() throws {
        let (app, process) = try uploading(2)
        try app.order("exit 0")
        #expect(try process.exitStatus() == .exited(0))
        try app.wait(for: .terminated)
        let before = app.lines.count
        gate.open()
        try app.line("handled s", after: before)
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        #expect(
            app.texts.dropFirst(before) == [
                "started", "attached sessionEvents s", "state background", "handleEvents s", "handled s",
            ]
        )
    }

    @Test func `an app in front is not called: its events just come`() throws {
        let (app, _) = try uploading(1)
        gate.open()
        try eventually("the upload has ended") { try app.show().row.outstanding == 0 ? true : nil }
        try app.order("begin last")
        try app.line("began last")
        #expect(!app.texts.contains("handleEvents s"))
    }

    @Test func `what a person quits is cancelled, and nothing but the person brings the app back`() throws {
        let (app, process) = try uploading(2)
        try app.act(.background)
        try app.waitUntilStopped()
        let reply = try app.act(.quit(keepsTransfers: nil), waits: true)
        #expect(reply.cancelledTransfers == 2)
        #expect(reply.row?.outstanding == 0)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(try app.story().contains(.quit(cancelledTransfers: 2)))
        gate.open()
        #expect(try app.state == .terminated)
        #expect(!app.texts.contains("handleEvents s"))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try app.show().row.isQuit)
        #expect(try app.state == .terminated)
    }

    @Test func `an app that crashes when it is launched for its session is left alone for a while`() throws {
        let (app, _) = try uploading(1, flags: "crashesForSessions")
        try app.order("exit 0")
        try app.wait(for: .terminated)
        gate.open()
        let pause = try app.entry("the delay") { happening in
            if case .launchDelayed(_, let seconds, _) = happening { seconds } else { nil }
        }
        #expect((4.0...5.0).contains(pause), "\(pause)")
        let end = try app.story().compactMap(\.end).last
        #expect(end == .signalled(SIGABRT))
        #expect(try app.show().delayedUntil != nil)
        #expect(app.texts.count { $0 == "attached sessionEvents s" } == 1)
        // A person ends the wait.
        try app.act(.launch(inBackground: false), waits: true)
        #expect(try app.state == .active)
        #expect(try app.show().delayedUntil == nil)
    }
}
