// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon is killed at some point of an app's life, and another starts: no app is lost, duplicated or left stopped.
@Suite(.serialized) struct `An app whose daemon is killed` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture(settings: #"{"backgroundTime": "2"}"#) }

    private func restart() throws {
        try daemon.killDaemon()
        try daemon.startOnDemand()
    }

    @Test func `an app in front stays there`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try restart()
        try app.line("attached person", after: 3)
        try app.wait(for: .active)
        #expect(process.isRunning)
        #expect(!app.texts.contains("enterForeground"))
    }

    @Test func `a suspended app is found stopped, and goes on when it is wanted`() throws {
        let app = try WiredApp(daemon)
        try app.open()
        try app.act(.background)
        try app.waitUntilStopped()
        try restart()
        try app.wait(for: .suspended)
        #expect(try app.processState() == "T")
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        try app.line("state active", after: 6)
    }

    @Test func `an app that is running behind goes on with its tasks`() throws {
        let app = try WiredApp(daemon)
        try app.open()
        try app.order("begin a")
        try app.line("began a")
        try app.act(.background, waits: true)
        try restart()
        try app.line("backgroundTime background")
        try app.wait(for: .background)
        #expect(try app.show().tasks.map(\.name) == ["a"])
        try app.order("end a")
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
    }

    @Test func `an app that was just going behind is stopped there`() throws {
        let app = try WiredApp(daemon)
        try app.open()
        try app.act(.background)
        try restart()
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
    }

    @Test func `an app whose time was running out is killed all the same, with that on record`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.order("begin a")
        try app.line("began a")
        try app.act(.background)
        try app.line("expire")
        try restart()
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        try app.wait(for: .terminated)
        try app.entry("the kill") { $0.kill }
    }

    @Test func `an app that is being launched is launched once`() throws {
        let app = try WiredApp(daemon, name: "once", bundle: "com.example.once")
        try app.open()
        try app.order("exit 0")
        try app.wait(for: .terminated)
        for _ in 0..<5 {
            let before = app.lines.count
            try app.act(.launch(inBackground: false))
            try restart()
            try app.wait(for: .active)
            let started = app.texts.dropFirst(before).count { $0 == "started" }
            #expect(started == 1)
            try app.order("exit 0")
            try app.wait(for: .terminated)
        }
    }

    @Test func `an app whose launch was asked for and not answered is launched at most once`() throws {
        try daemon.settings(#"{"testCommitDelay": 0.05}"#)
        let app = try WiredApp(daemon, name: "asked", bundle: "com.example.asked")
        try app.open()
        try app.order("exit 0")
        try app.wait(for: .terminated)
        // The answer comes once the whole story is durable.
        _ = try app.story()
        let before = app.lines.count
        let client = try WireClient.greeted(daemon)
        try client.write(
            client.frame(ActOnApp(app: app.id, verb: .launch(inBackground: false), waits: false)).encoded()
        )
        try restart()
        let state = try eventually("the app is where it was sent, or was never launched") {
            let state = try app.state
            return state == .active || state == .terminated ? state : nil
        }
        let started = app.texts.dropFirst(before).count { $0 == "started" }
        #expect(started == (state == .active ? 1 : 0))
    }

    @Test func `an app that ended meanwhile is not held for running`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.act(.background)
        try app.waitUntilStopped()
        try daemon.killDaemon()
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        try daemon.startOnDemand()
        try app.wait(for: .terminated)
        #expect(try app.story().compactMap(\.end) == [.unknown])
    }
}
