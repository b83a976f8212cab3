// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon is killed at some point of a task's life, and another begins: none is lost, and none is run twice.
@Suite(.serialized) struct `A task whose daemon is killed` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture(settings: #"{"backgroundTime": "3"}"#) }

    private func app(_ flags: String = "completesTasks") throws -> WiredApp {
        let app = try WiredApp(daemon, flags: flags, bundle: "org.example.app", permits: TaskDesk.all)
        try daemon.pretend()
        try app.open()
        return app
    }

    private func restart() throws {
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try daemon.pretend()
    }

    private func runningNumber() throws -> UInt64 {
        try eventually("it runs") {
            let row = try daemon.why(TaskDesk.refresh).rows.first
            return row?.reason.cause == .running ? row?.record.request.number : nil
        }
    }

    @Test func `one that was answered is there, and becomes due in the meantime`() throws {
        let app = try app()
        let desk = try TaskDesk(app)
        try desk.submit(TaskDesk.cleanup, .processing, after: 3600)
        try desk.submit(after: 0.3)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try daemon.pretend()
        #expect(try daemon.ending(TaskDesk.refresh) == .completed(success: true))
        #expect(try daemon.cause(TaskDesk.cleanup) == .earliestBegin)
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
    }

    @Test func `one that runs goes on with its app, and ends once`() throws {
        let app = try app("")
        let desk = try TaskDesk(app)
        try desk.submit()
        let number = try runningNumber()
        try restart()
        #expect(try runningNumber() == number)
        try app.order("complete \(number)")
        #expect(try daemon.ending(TaskDesk.refresh) == .completed(success: true))
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
    }

    @Test func `one that was completed without a daemon has ended`() throws {
        let app = try app("")
        let desk = try TaskDesk(app)
        try desk.submit()
        let number = try runningNumber()
        try daemon.killDaemon()
        try app.order("complete \(number)")
        try app.line("completed \(number)")
        try daemon.startOnDemand()
        #expect(try daemon.ending(TaskDesk.refresh) == .completed(success: true))
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
        #expect(try daemon.tasks().rows.isEmpty)
    }

    @Test func `one whose app ended with the daemon waits again, and runs once more`() throws {
        let app = try app("")
        let desk = try TaskDesk(app)
        try desk.submit()
        let number = try runningNumber()
        let process = try app.processID()
        try daemon.killDaemon()
        #expect(kill(process, SIGKILL) == 0)
        try app.waitUntilGone()
        try daemon.startOnDemand()
        try daemon.pretend()
        let row = try #require(try daemon.why(TaskDesk.refresh).rows.first)
        #expect(row.record.attempts == 1)
        #expect(row.record.request.number == number)
        try daemon.simulate(.launch, TaskDesk.refresh)
        try app.line("attached task \(TaskDesk.refresh)")
        #expect(try runningNumber() == number)
    }

    @Test func `one that is just being begun is entered once`() throws {
        let app = try app()
        let desk = try TaskDesk(app)
        for pause in [0, 1, 2, 3, 5, 8, 13] {
            let desk = pause == 0 ? desk : try TaskDesk(app)
            let before = app.lines.count
            try desk.submit()
            _ = poll(nil, 0, Int32(pause))
            try restart()
            try eventually("it has ended, as \(try daemon.outcomes(TaskDesk.refresh))") {
                try daemon.tasks().rows.isEmpty ? true : nil
            }
            #expect(app.texts.dropFirst(before).count { $0.hasPrefix("entered") } == 1)
            try app.wait(for: .active)
        }
    }
}
