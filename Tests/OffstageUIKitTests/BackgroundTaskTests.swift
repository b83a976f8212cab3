// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// Background tasks of a process, with the real daemon.
@Suite(.serialized) struct BackgroundTaskTests {
    /// Three seconds for all tasks of one backgrounding, the last second for the handlers; more where a busy machine
    /// must not reach their end.
    private static func app(seconds: Int = 3) throws -> LivingApp {
        try LivingApp(try DaemonFixture(settings: #"{"backgroundTime": "\#(seconds)"}"#))
    }

    @Test func `an app with a background task runs until it has ended it`() throws {
        let app = try Self.app(seconds: 60)
        let process = try app.open()
        try app.order("begin first")
        try app.line("began first 1")
        try app.order("begin second")
        try app.line("began second 2")
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        try app.order("end 1")
        try app.line("ended 1")
        try eventually("the daemon has heard of it") { try app.show().tasks.map(\.name) == ["second"] ? true : nil }
        #expect(LivingApp.kernelState(of: process) != "T")
        try app.order("end 2")
        try app.waitUntilStopped(process)
        #expect(process.isRunning)
    }

    @Test func `the time remaining has no end in foreground and shrinks in background`() throws {
        let app = try Self.app(seconds: 60)
        let process = try app.open()
        try app.order("remaining")
        try app.line("remaining 1.797")
        try app.order("begin work")
        try app.line("began work")
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        let before = app.lines.count
        try app.order("remaining")
        let line = try app.line("remaining", after: before)
        let left = try #require(Double(line.text.dropFirst("remaining ".count)))
        #expect(left > 0 && left <= 60)
        try app.order("remaining")
        let later = try app.line("remaining", after: before + 1)
        let less = try #require(Double(later.text.dropFirst("remaining ".count)))
        // Both times are recorded right after reading.
        #expect(abs((left - less) - (later.time - line.time)) < 0.1)
        #expect(less < left)
        #expect(process.isRunning)
    }

    @Test func `handlers are called on the main thread before the time is over, and the app that ends its tasks lives`()
        throws
    {
        let app = try Self.app()
        let process = try app.open()
        try app.order("begin first")
        try app.order("begin second")
        try app.line("began second")
        try app.act(.background, waits: false)
        let left = try app.line("willResignActive")
        let first = try app.line("expires first (background)")
        try app.line("expires second (background)")
        try app.waitUntilStopped(process)
        // One second before the three seconds are over.
        #expect(first.time - left.time > 1.9 && first.time - left.time < 3)
        try app.act(.foreground)
        try app.line("posted willEnterForeground")
        #expect(process.isRunning)
    }

    @Test func `an app that keeps a task is killed when the time is over, and the task is on record`() throws {
        let app = try Self.app()
        let process = try app.open()
        try app.order("keep stubborn")
        try app.line("began stubborn")
        try app.act(.background, waits: false)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        try app.line("expires stubborn (background)")
        let reason = try eventually("the kill is on record") {
            try app.story().lazy.compactMap { if case .killed(let reason) = $0 { reason } else { nil } }.first
        }
        guard case .backgroundTimeOver(_, let tasks) = reason else {
            Issue.record("It was killed for \(reason).")
            return
        }
        #expect(tasks.map(\.name) == ["stubborn"])
    }

    @Test func `a task without a name is called by its caller's`() throws {
        let app = try Self.app()
        let process = try app.open()
        try app.order("begin-unnamed")
        try app.line("began unnamed 1")
        let name = try eventually("the daemon knows of it") { try app.show().tasks.first?.name }
        #expect(name.hasPrefix("Called by LifeApp, from "))
        #expect(name.contains("beginUnnamed"), "\(name)")
        #expect(process.isRunning)
    }

    @Test func `ending what is not open is told on standard error and does no harm`() throws {
        let app = try Self.app()
        let process = try app.open()
        try app.order("end 17")
        try app.line("ended 17")
        let expected =
            "Can't end BackgroundTask: no background task exists with identifier 17 (0x11), or it may have already been ended. Break in UIApplicationEndBackgroundTaskError() to debug.\n"
        try eventually("it says so") { process.errors == expected ? true : nil }
        #expect(process.isRunning)
    }

    @Test func `a debugger finds the function that the complaint names`() throws {
        let symbols = try ChildProcess.run("/usr/bin/nm", [try BuiltProducts.path("LifeApp")])
        #expect(symbols.output.contains(" T UIApplicationEndBackgroundTaskError\n"))
    }

    @Test func `an expiring activity keeps the app running and is told a second time, beside the first`() throws {
        let app = try Self.app()
        let process = try app.open()
        try app.order("activity")
        try app.line("activity false")
        try app.act(.background, waits: false)
        try app.waitUntilStopped(process)
        let lines = app.texts.filter { $0.hasPrefix("activity") }
        #expect(lines.prefix(2) == ["activity false", "activity true"])
        // The first call's return ends the activity; the process may be stopped before the second returns.
        #expect(lines.contains("activity false returns"))
        #expect(Set(lines.dropFirst(2)).isSubset(of: ["activity false returns", "activity true returns"]))
        #expect(process.isRunning)
    }
}
