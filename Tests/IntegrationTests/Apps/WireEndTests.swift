// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// How apps end, how they are distinguished, and how they are launched.
@Suite(.serialized) struct `The end of an app on stage` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture() }

    @Test func `an app that is quit may say good-bye when it runs`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        let reply = try app.act(.quit(keepsTransfers: nil), waits: true)
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.last == "terminate")
        #expect(reply.row?.isQuit == true)
        #expect(reply.row?.state == .terminated)
        #expect(try app.kills().isEmpty)
        try app.open()
        #expect(try !app.show().row.isQuit)
    }

    @Test func `a suspended app that is quit is killed`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.act(.background)
        try app.waitUntilStopped()
        try app.act(.quit(keepsTransfers: nil), waits: true)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(try app.kills() == [.quit])
        #expect(app.texts.last == "state background")
    }

    @Test func `an app that does not heed its termination is killed after five seconds`() throws {
        let app = try WiredApp(daemon, flags: "staysAtTerminate")
        let process = try app.open()
        try app.act(.terminate, waits: true)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(try app.kills() == [.terminateTooLong(seconds: 5)])
        #expect(try !app.show().row.isQuit)
    }

    @Test func `short memory takes the suspended app used least recently, then warns those that run`() throws {
        let apps = try ["first", "second"].map { name in
            try WiredApp(daemon, name: name, bundle: "com.example.\(name)")
        }
        let processes = try apps.map { try $0.open() }
        for app in apps {
            try app.act(.background)
            try app.waitUntilStopped()
        }
        let client = try WireClient.greeted(daemon)
        try apps[0].act(.foreground, waits: true)
        try apps[0].act(.background)
        try apps[0].waitUntilStopped()
        _ = try client.send(SimulateMemoryPressure())
        #expect(try processes[1].exitStatus() == .signalled(SIGKILL))
        #expect(try apps[1].kills() == [.memoryPressure])
        #expect(try apps[0].state == .suspended)
        try apps[0].act(.foreground, waits: true)
        _ = try client.send(SimulateMemoryPressure())
        try apps[0].line("memoryWarning")
        #expect(processes[0].isRunning)
    }

    @Test func `a second process of an app in front is refused`() throws {
        let app = try WiredApp(daemon)
        let first = try app.open()
        let second = try app.start()
        #expect(try second.exitStatus() == .exited(3))
        #expect(app.texts.last == "refused inUse")
        #expect(first.isRunning)
        #expect(try app.show().row.process == first.processID)
    }

    @Test func `a person who starts a suspended app anew gets the new process`() throws {
        let app = try WiredApp(daemon)
        let first = try app.open()
        try app.act(.background)
        try app.waitUntilStopped()
        let second = try app.open()
        #expect(try first.exitStatus() == .signalled(SIGKILL))
        #expect(try app.kills() == [.replaced])
        #expect(try app.show().row.process == second.processID)
        try app.wait(for: .active)
    }

    @Test func `a launch in background ends suspended, and a person may bring it to the front`() throws {
        let app = try WiredApp(daemon, name: "asleep", bundle: "com.example.asleep")
        try app.open()
        try app.order("exit 0")
        try app.wait(for: .terminated)
        let before = app.lines.count
        try app.act(.launch(inBackground: true), waits: true)
        try app.waitUntilStopped()
        #expect(app.texts.dropFirst(before) == ["started", "attached personInBackground", "state background"])
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        #expect(try app.story().compactMap(\.end) == [.unknown])
        try app.order("exit 7")
        try app.wait(for: .terminated)
        try app.entry("its end") { $0.end == .exited(7) ? true : nil }
    }

    @Test func `an app that cannot be launched says why`() throws {
        let app = try WiredApp(daemon, name: "gone", bundle: "com.example.gone")
        try app.open()
        try app.order("exit 0")
        try app.wait(for: .terminated)
        unlink(app.executable)
        let failure = #expect(throws: WireFailure.self) { try app.act(.launch(inBackground: false)) }
        #expect(failure?.code == .notApplicable)
        #expect(failure?.message.contains(app.executable) == true)
        #expect(try app.state == .terminated)
    }

    @Test func `an app is installed once, and again to change it`() throws {
        let app = try WiredApp(daemon, name: "fresh", bundle: "com.example.fresh")
        let client = try WireClient.greeted(daemon)
        func install(_ path: String, _ arguments: [String]) throws -> InstallApp.Reply {
            let environment = ["OFFSTAGE_HOME": daemon.home]
            return try client.send(
                InstallApp(path: path, arguments: arguments, workingDirectory: "/", environment: environment)
            )
        }
        #expect(try install(daemon.path("fresh.app"), []) == .init(app: "com.example.fresh", isNew: true))
        #expect(try app.state == .terminated)
        #expect(try install(app.executable, [app.folder]) == .init(app: "com.example.fresh", isNew: false))
        #expect(try app.show().arguments == [app.folder])
        try app.act(.launch(inBackground: false), waits: true)
        #expect(try app.state == .active)
        let failure = #expect(throws: WireFailure.self) { try install("/nowhere", []) }
        #expect(failure?.message.contains("/nowhere") == true)
        #expect(throws: WireFailure.self) { try client.send(ShowApp(app: "com.example.none")) }
    }
}
