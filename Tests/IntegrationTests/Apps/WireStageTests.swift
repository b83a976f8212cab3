// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon's part of the life cycle, at the level of frames and signals.
@Suite(.serialized) struct `An app on stage` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture(settings: #"{"backgroundTime": "2"}"#) }

    @Test func `an app without tasks is stopped behind, and goes on in front`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.wait(for: .active)
        try app.act(.background)
        try app.waitUntilStopped()
        #expect(try app.state == .suspended)
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        #expect(
            app.texts == [
                "started", "attached person", "state active", "enterBackground", "state background", "enterForeground",
                "state active",
            ]
        )
        #expect(process.isRunning)
    }

    @Test func `an app runs on behind while it holds tasks`() throws {
        let app = try WiredApp(daemon)
        try app.open()
        try app.order("begin a")
        try app.order("begin b")
        try app.line("began b")
        try app.act(.background, waits: true)
        try app.line("state background")
        try app.order("end a")
        try app.line("ending a")
        #expect(try app.state == .background)
        #expect(try app.show().tasks.map(\.name) == ["b"])
        #expect(try app.show().timeEnds != nil)
        try app.order("end b")
        try app.waitUntilStopped()
        #expect(try app.state == .suspended)
        #expect(try app.kills().isEmpty)
    }

    @Test func `expiration handlers are called before the end, and the app is stopped when it lets go`() throws {
        let app = try WiredApp(daemon, flags: "endsAtExpiry")
        try app.open()
        try app.order("begin a")
        try app.line("began a")
        try app.act(.background)
        let begin = try app.line("enterBackground").time
        let expiry = try app.line("expire").time
        // One second before the end of two seconds.
        #expect((0.95..<2.0).contains(expiry - begin), "\(expiry - begin)")
        try app.waitUntilStopped()
        #expect(try app.kills().isEmpty)
    }

    @Test func `an app that holds a task beyond its time is killed, with that on record`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.order("begin stubborn")
        try app.line("began stubborn")
        try app.act(.background)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        try app.wait(for: .terminated)
        let tasks = try app.entry("the kill") { happening in
            if case .killed(.backgroundTimeOver(2, let tasks)) = happening { tasks } else { nil }
        }
        #expect(tasks.map(\.name) == ["stubborn"])
        #expect(tasks.allSatisfy { $0.seconds > 1.9 })
        let story = try app.story()
        let record = story.firstIndex { if case .killed = $0 { true } else { false } }
        let end = story.firstIndex { if case .ended = $0 { true } else { false } }
        #expect(try #require(record) < #require(end))
    }

    @Test func `a delegate that does not return from didEnterBackground is killed after five seconds`() throws {
        let app = try WiredApp(daemon, flags: "hangsInBackground")
        let process = try app.open()
        try app.act(.background)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(try app.entry("the kill") { $0.kill } == .didEnterBackgroundTooLong(seconds: 5))
    }

    @Test func `a task that was begun just before the stop keeps the app running`() throws {
        let app = try WiredApp(daemon, flags: "takesTask")
        try app.open()
        try app.act(.background, waits: true)
        #expect(try app.state == .background)
        try app.order("end finish")
        try app.waitUntilStopped()
    }

    @Test func `what an app is, and how it was started, is kept for its relaunch`() throws {
        let app = try WiredApp(daemon, name: "kept", bundle: "com.example.kept")
        try app.open()
        let shown = try app.show()
        #expect(shown.row.name == "Wired")
        #expect(shown.executable == app.executable)
        #expect(shown.arguments == [app.folder])
        #expect(shown.workingDirectory == app.folder)
        #expect(shown.environmentNames.contains("OFFSTAGE_HOME"))
        #expect(!shown.environmentNames.contains("TSAN_OPTIONS"))
        #expect(shown.suspendsBy == "signal")
        try app.order("exit 0")
        try app.wait(for: .terminated)
        try app.act(.launch(inBackground: false), waits: true)
        #expect(try app.state == .active)
        #expect(app.texts.suffix(3) == ["started", "attached person", "state active"])
        #expect(try WireClient.greeted(daemon).send(ListApps()).rows.map(\.id) == ["com.example.kept"])
    }

    @Test func `a program that never goes on stage is left alone`() throws {
        let app = try WiredApp(daemon, name: "plain", flags: "hangs", bundle: "com.example.plain")
        let client = try WireClient.greeted(daemon)
        _ = try client.send(
            InstallApp(path: app.executable, arguments: [app.folder, "hangs"], workingDirectory: "/", environment: [:])
        )
        try app.act(.launch(inBackground: false))
        // Without the daemon's home in its recorded environment, it exits at once.
        try app.wait(for: .terminated)
        _ = try client.send(
            InstallApp(
                path: app.executable,
                arguments: [app.folder, "hangs"],
                workingDirectory: "/",
                environment: ["OFFSTAGE_HOME": daemon.home, "SECRET": "x"]
            )
        )
        #expect(try app.show().environmentNames == ["OFFSTAGE_HOME"])
        try app.act(.launch(inBackground: false))
        try eventually("it has started") { try? app.processID() }
        try app.act(.background)
        #expect(try app.state == .launching)
        #expect(try app.processState() != "T")
        #expect(throws: WireFailure.self) { try app.act(.remove) }
        try app.act(.terminate)
        try app.wait(for: .terminated)
        try app.act(.remove)
        #expect(throws: WireFailure.self) { try app.show() }
    }
}

extension AppEntry.Happening {
    var kill: AppEntry.KillReason? {
        if case .killed(let reason) = self { reason } else { nil }
    }

    var end: ProcessEnd? {
        if case .ended(let end) = self { end } else { nil }
    }
}
