// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Time that is advanced from one due task to the next.
@Suite(.serialized) struct `A week in seconds` {
    @Test func `an app that asks to be refreshed every hour is, 168 times, each when it is due`() throws {
        let daemon = try DaemonFixture(settings: #"{"backgroundTime": "3"}"#)
        let app = try WiredApp(daemon, flags: "again", bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        let driver = try TaskDriver(app)
        try driver.submit(after: 3600)
        try app.act(.background)
        try app.waitUntilStopped()
        let before = Date()
        let reply = try daemon.advance(7 * 86_400)
        #expect(reply.ended == 168 || reply.ended == 167, "\(reply.ended)")
        #expect(reply.ahead >= 7 * 86_400 - 60)
        #expect(reply.now >= before.addingTimeInterval(7 * 86_400))
        #expect(app.texts.count { $0.hasPrefix("entered") } == reply.ended)
        // In the daemon's time; in the app's own time it is less than an hour away.
        let row = try #require(try daemon.why(TaskDriver.refresh).rows.first)
        #expect(row.record.request.earliestBegin.map { $0 > reply.now.addingTimeInterval(-1) } == true)
        #expect(try daemon.tasks().machine.ahead == reply.ahead)
        try app.wait(for: .suspended)
        try app.act(.foreground, waits: true)
        let begin = try #require(try TaskDriver(app).pending().first?.earliestBegin)
        #expect(abs(begin.timeIntervalSince(Date())) < 3700)
    }

    @Test func `time does not run ahead in a person's own daemon`() throws {
        let daemon = try DaemonFixture()
        let person = [
            "OFFSTAGE_HOME": "", "HOME": daemon.files, "XDG_RUNTIME_DIR": daemon.path("run"), "XDG_DATA_HOME": "",
            "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "",
        ]
        let result = try daemon.run("simulate", "advance", "1h", environment: person)
        defer { _ = try? daemon.run("daemon", "stop", environment: person) }
        #expect(!result.isSuccess)
        #expect(result.errors.contains("set OFFSTAGE_HOME to an empty folder"), "\(result)")
        let status = try daemon.run("daemon", "status", environment: person)
        #expect(status.output.contains(daemon.files), "\(status)")
    }

    @Test func `time does not run ahead while the daemon waits for a file that it looks at`() throws {
        let daemon = try DaemonFixture()
        let path = daemon.path("slow")
        try TestFiles.write([1, 2, 3, 4], to: path, mode: 0o755)
        try daemon.startOnDemand()
        let lease = try FileLease(path)
        let installer = try WireClient.greeted(daemon)
        let request = InstallApp(path: path, arguments: [], workingDirectory: "/", environment: [:])
        try installer.write(installer.frame(request).encoded())
        try eventually("the daemon is about to look at it") { lease.isWantedBack ? true : nil }
        let developer = try WireClient.greeted(daemon)
        try developer.write(developer.frame(AdvanceTime(seconds: 3600)).encoded())
        #expect(try developer.nextFrame(TimeLimit(seconds: 1)) == nil)
        lease.end()
        let answer = try #require(try installer.nextFrame(TimeLimit(seconds: 20)))
        let failure = try WireCoding.decode(WireFailure.self, from: answer.payload)
        #expect(failure.code == .badRequest, "\(failure)")
        let reply = try #require(try developer.nextFrame(TimeLimit(seconds: 60)))
        #expect(try WireCoding.decode(AdvanceTime.Reply.self, from: reply.payload).ahead >= 3590)
    }

    @Test func `a run that is interrupted while time runs ahead is counted as people see it in the story`() throws {
        let daemon = try DaemonFixture()
        let app = try WiredApp(daemon, flags: "forgetsTasks", bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        try TaskDriver(app).submit()
        try app.line("attached person")
        try eventually("it runs") { try daemon.cause(TaskDriver.refresh) == .running ? true : nil }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let developer = try WireClient.greeted(daemon)
        try developer.write(developer.frame(AdvanceTime(seconds: 1)).encoded())
        // Answered after the other request, which waits for the run, was received.
        #expect(try daemon.cause(TaskDriver.refresh) == .running)
        try app.order("return")
        let reply = try #require(try developer.nextFrame(TimeLimit(seconds: 60)))
        #expect(try WireCoding.decode(AdvanceTime.Reply.self, from: reply.payload).ended == 1)
        guard case .interrupted = try daemon.outcomes(TaskDriver.refresh).first else {
            Issue.record("no word of it: \(try daemon.outcomes(TaskDriver.refresh))")
            return
        }
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
