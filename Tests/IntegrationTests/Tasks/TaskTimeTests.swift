// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Time that runs ahead, from one due task to the next.
@Suite(.serialized) struct `A week in seconds` {
    @Test func `an app that asks to be refreshed every hour is, 168 times, each when it is due`() throws {
        let daemon = try DaemonFixture(settings: #"{"backgroundTime": "3"}"#)
        let app = try WiredApp(daemon, flags: "again", bundle: "org.example.app", permits: TaskDesk.all)
        try daemon.pretend()
        try app.open()
        let desk = try TaskDesk(app)
        try desk.submit(after: 3600)
        try app.act(.background)
        try app.waitUntilStopped()
        let before = Date()
        let reply = try daemon.advance(7 * 86_400)
        #expect(reply.ended == 168 || reply.ended == 167, "\(reply.ended)")
        #expect(reply.ahead >= 7 * 86_400 - 60)
        #expect(reply.now >= before.addingTimeInterval(7 * 86_400))
        #expect(app.texts.count { $0.hasPrefix("entered") } == reply.ended)
        // In the daemon's time; in the app's own it is less than an hour away.
        let row = try #require(try daemon.why(TaskDesk.refresh).rows.first)
        #expect(row.record.request.earliestBegin.map { $0 > reply.now.addingTimeInterval(-1) } == true)
        #expect(try daemon.tasks().machine.ahead == reply.ahead)
        try app.wait(for: .suspended)
        try app.act(.foreground, waits: true)
        let begin = try #require(try TaskDesk(app).pending().first?.earliestBegin)
        #expect(abs(begin.timeIntervalSince(Date())) < 3700)
    }

    @Test func `time that is not advanced says so`() throws {
        let daemon = try DaemonFixture(settings: "{}")
        let app = try WiredApp(daemon)
        #expect(try daemon.tasks().machine.ahead == nil)
        #expect(throws: WireFailure.self) { try daemon.advance(-1) }
        let reply = try daemon.advance(3600)
        #expect(reply.ended == 0)
        #expect(reply.ahead >= 3599)
        _ = app
    }
}
