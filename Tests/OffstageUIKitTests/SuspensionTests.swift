// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// What an app still does once nothing holds it, and what remains if it is then killed.
@Suite(.serialized) struct SuspensionTests {
    // The second is longer than the grace: the main queue's item has not returned.
    @Test(arguments: [0, 20, 700])
    func `what stands after the last end is done in background, and what comes a second later is not`(
        _ milliseconds: Int
    ) throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.order("begin work")
        try app.line("began work 1")
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        try app.order("finish \(milliseconds)")
        try app.waitUntilStopped(process)
        #expect(app.texts.last == "directly after (background)")
        try app.act(.foreground)
        try app.line("a second after (active)")
    }

    @Test func `a session's completion handler that ends the last background task comes to its end`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.order("begin work")
        try app.line("began work 1")
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        // On the session's own queue, for longer than the grace.
        try app.order("list-handled 1 700")
        try app.waitUntilStopped(process)
        #expect(app.texts.last == "listed 0 (another thread)")
    }

    @Test func `a suspended app that is killed has its user defaults`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.order("set blue")
        try app.line("set blue")
        try app.act(.background)
        try app.waitUntilStopped(process)
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        try expectDefault("blue", in: app)
    }

    @Test func `an app that is told to end has them too`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.order("set green")
        try app.line("set green")
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        try expectDefault("green", in: app)
    }

    /// Launches the app again, and asks it for the value.
    private func expectDefault(_ value: String, in app: LivingApp) throws {
        let before = app.lines.count
        let next = try app.start()
        try app.line("posted didBecomeActive", after: before)
        try app.order("get")
        try app.line("got \(value)")
        #expect(next.isRunning)
    }
}
