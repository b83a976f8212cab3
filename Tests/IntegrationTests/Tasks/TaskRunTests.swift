// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Tasks that become due, in every state of their app, and every way in which they end.
@Suite(.serialized) struct `A task that is due` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"backgroundTime": "3", "deferredWork": {"processingSeconds": 1}}"#
        )
    }

    private func app(_ flags: String, name: String = "tasked") throws -> WiredApp {
        let app = try WiredApp(daemon, name: name, flags: flags, bundle: "org.example.\(name)", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        return app
    }

    @Test func `a suspended app is continued for it, and suspended again`() throws {
        let app = try app("completesTasks")
        let driver = try TaskDriver(app)
        try driver.submit(after: 3600)
        try app.act(.background)
        try app.waitUntilStopped()
        #expect(try daemon.cause(TaskDriver.refresh) == .earliestBegin)
        try daemon.advanceAnHour()
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        #expect(app.texts.count { $0.hasPrefix("startTask") } == 1)
        #expect(try daemon.tasks().rows.isEmpty)
    }

    @Test func `an app that does not run is launched in background for it`() throws {
        let app = try app("completesTasks")
        let driver = try TaskDriver(app)
        try driver.submit(after: 3600)
        try app.order("exit 0")
        try app.wait(for: .terminated)
        let before = app.lines.count
        try daemon.advanceAnHour()
        try app.line("attached task \(TaskDriver.refresh)", after: before)
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        try app.wait(for: .suspended)
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
    }

    @Test func `an app in front runs it where it is`() throws {
        let app = try app("completesTasks")
        let driver = try TaskDriver(app)
        try driver.submit()
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(try app.state == .active)
        #expect(!app.texts.contains("enterBackground"))
    }

    @Test func `one that is not completed in time is told to end, and its app killed`() throws {
        let app = try app("")
        let driver = try TaskDriver(app)
        // Before there is a task: its time may be over before the app is in background.
        try app.act(.background)
        try app.waitUntilStopped()
        try driver.submit(TaskDriver.cleanup, .processing)
        guard case .killed(.timeOver, let seconds) = try daemon.ending(TaskDriver.cleanup) else {
            Issue.record("\(try daemon.outcomes(TaskDriver.cleanup))")
            return
        }
        #expect(seconds >= 0.9)
        #expect(app.texts.contains { $0.hasPrefix("expireTask") && $0.hasSuffix("timeOver") })
        try app.wait(for: .terminated)
        #expect(try app.kills().contains { if case .taskTooLong = $0 { true } else { false } })
    }

    @Test func `one that is completed when it is told to end has expired`() throws {
        let app = try app("completesAtExpiry")
        let driver = try TaskDriver(app)
        try driver.submit(TaskDriver.cleanup, .processing)
        #expect(try daemon.ending(TaskDriver.cleanup) == .expired(.timeOver, success: false))
        #expect(try app.state == .active)
    }

    @Test func `one without a handler is gone, with that on record`() throws {
        let app = try app("claimsNothing")
        let driver = try TaskDriver(app)
        try driver.submit()
        #expect(try daemon.ending(TaskDriver.refresh) == .noHandler)
    }

    @Test func `one whose app crashes in its handler is not run again`() throws {
        let app = try app("crashesInTasks")
        let driver = try TaskDriver(app)
        try driver.submit()
        guard case .appEnded = try daemon.ending(TaskDriver.refresh) else {
            Issue.record("\(try daemon.outcomes(TaskDriver.refresh))")
            return
        }
        #expect(try daemon.tasks().rows.isEmpty)
    }

    @Test func `one whose app crashes before its handler waits again, longer each time`() throws {
        let app = try app("crashesBeforeTasks")
        let driver = try TaskDriver(app)
        try driver.submit()
        let row = try eventually("it waits again") {
            try daemon.why(TaskDriver.refresh).rows.first { $0.record.attempts == 1 && $0.record.phase == .pending }
        }
        #expect(row.reason.nextLook != nil)
        #expect(
            try daemon.outcomes(TaskDriver.refresh).contains { if case .interrupted = $0 { true } else { false } }
        )
    }

    @Test func `one that is submitted in the handler waits its own time`() throws {
        let app = try app("submitsAgain")
        let driver = try TaskDriver(app)
        try driver.submit()
        try app.line("submitted \(TaskDriver.refresh)")
        let rows = try daemon.why(TaskDriver.refresh).rows
        #expect(rows.count == 2)
        #expect(rows.first.map { $0.reason.cause } == .running)
        #expect(rows.last.map { $0.reason.cause } == .earliestBegin)
        try app.order("complete \(rows[0].record.request.number)")
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(try daemon.why(TaskDriver.refresh).rows.count == 1)
    }

    @Test func `a developer starts and expires it by hand`() throws {
        let app = try app("completesAtExpiry")
        let driver = try TaskDriver(app)
        try driver.submit(after: 3600)
        try daemon.simulate(.launch, TaskDriver.refresh)
        try eventually("it runs") { try daemon.cause(TaskDriver.refresh) == .running ? true : nil }
        try daemon.simulate(.expire, "org.example.tasked/" + TaskDriver.refresh)
        #expect(try daemon.ending(TaskDriver.refresh) == .expired(.simulated, success: false))
        let failure = #expect(throws: WireFailure.self) { try daemon.simulate(.launch, TaskDriver.refresh) }
        #expect(failure?.code == .notApplicable)
        let sentence = "No task \(TaskDriver.refresh) is pending or running: see 'offstage why \(TaskDriver.refresh)'."
        #expect(failure?.message == sentence)
        let unheard = #expect(throws: WireFailure.self) { try daemon.simulate(.launch, "org.example.unheard") }
        #expect(unheard?.code == .notFound)
    }

    @Test func `one whose app a person has quit is not started by hand, and it is said why`() throws {
        let app = try app("completesTasks")
        let driver = try TaskDriver(app)
        try driver.submit(after: 3600)
        try app.act(.quit(keepsTransfers: nil))
        try app.wait(for: .terminated)
        let failure = #expect(throws: WireFailure.self) { try daemon.simulate(.launch, TaskDriver.refresh) }
        #expect(failure?.code == .notApplicable)
        #expect(failure?.message.contains("a person quit its app") == true)
        #expect(try daemon.why(TaskDriver.refresh).rows.first?.record.attempts == 0)
        #expect(try daemon.outcomes(TaskDriver.refresh).isEmpty)
    }
}
