// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage change`, and transfers that depend on the time of day.
@Suite struct ChangeTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    @Test func `the last in line is made the first`() throws {
        try daemon.settings(#"{"maximumRunning": 1}"#)
        let gate = FaultGate()
        server.script("/first", .held(gate, then: .status(200)))
        for name in ["a", "b", "c"] { server.script("/" + name, .status(200)) }
        var ids = [try daemon.submit("download", server.url("/first"))]
        try server.waitForRequests("/first", count: 1)
        for name in ["a", "b", "c"] { ids.append(try daemon.submit("download", server.url("/" + name))) }
        let result = try daemon.run("change", "\(ids[3])", "--priority", "high", "--label", "urgent")
        #expect(result.isSuccess, "\(result)")
        #expect(try daemon.show(ids[3]).label.string == "urgent")
        gate.open()
        #expect(try daemon.wait(ids[0], ids[1], ids[2], ids[3]).isSuccess)
        #expect(server.requests.map(\.path) == ["/first", "/c", "/a", "/b"])
    }

    @Test func `a mistyped URL and name are mended, and secrets stay behind`() throws {
        let other = try FaultServer()
        other.script("/right", .status(200, body: "content"))
        server.script("/wrong", .status(404))
        let id = try daemon.submit("download", server.url("/wrong"), "-H", "X-Api-Key: secret", "-o", "old")
        #expect(!(try daemon.wait(id).isSuccess))
        let result = try daemon.run("change", "\(id)", "--url", other.url("/right"), "-o", daemon.path("new"))
        #expect(result.isSuccess, "\(result)")
        #expect(result.errors.contains("X-Api-Key"))
        #expect(!result.errors.contains("secret"))
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.text(daemon.path("new")) == "content")
        #expect(!TestFiles.exists(daemon.path("old")))
        let sent = try #require(other.requests.first)
        #expect(sent.headers["x-api-key"] == nil)
        expectSentence(try daemon.run("change", "\(id)", "--label", "x"), code: 1, "complete")
        expectSentence(try daemon.run("change", "99", "--label", "x"), code: 4, "99")
    }

    @Test func `a begin date can be set, and what is under way is paused first`() throws {
        server.script("/file", .stalls, .status(200, body: "content"))
        let id = try daemon.submit("download", server.url("/file"))
        try server.waitForRequests("/file", count: 1)
        expectSentence(try daemon.run("change", "\(id)", "--begin", "+1h"), code: 1, "offstage pause \(id)")
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        #expect(try daemon.run("change", "\(id)", "--begin", "+1h").isSuccess)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.detail(id).row.reason.cause == .earliestBegin)
        #expect(try daemon.run("change", "\(id)", "--begin", "2020-01-01").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test(arguments: ["now", ""]) func `a date is taken off again`(begin: String) throws {
        server.script("/file", .status(200, body: "content"))
        let id = try daemon.submit("download", server.url("/file"), "--begin", "tomorrow")
        #expect(try daemon.detail(id).row.reason.cause == .earliestBegin)
        #expect(try daemon.run("change", "\(id)", "--begin", begin).isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test func `the schedule lets nothing run, and a person may overrule it`() throws {
        try daemon.settings(#"{"schedule": [{"from": "00:00", "to": "24:00", "transfers": false}]}"#)
        server.script("/file", .status(200, body: "content"))
        let id = try daemon.submit("download", server.url("/file"))
        let row = try daemon.watch(id, for: "the schedule") { $0.reason.cause == .held(.schedule) }
        #expect(row.reason.nextLook != nil)
        #expect(try daemon.run("limit").output.contains("allows no transfers until"))
        #expect(try daemon.run("why", "\(id)").output.contains("offstage limit none"))
        #expect(server.requests.isEmpty)
        #expect(try daemon.run("limit", "none").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try daemon.run("limit").output.contains("no limit until"))
    }

    @Test func `the schedule limits, and a mistake in it keeps the daemon from starting`() throws {
        try daemon.settings(#"{"schedule": [{"from": "00:00", "to": "24:00", "rateLimit": 5000}]}"#)
        #expect(try daemon.run("limit").output.contains("by the schedule in the settings"))
        #expect(try daemon.json("limit").rateLimit.integer == 5000)
        try daemon.killDaemon()
        try daemon.settings(#"{"schedule": [{"from": "8", "to": "18:00"}]}"#)
        expectSentence(try daemon.run("list"), code: 3, "08:00")
    }

    @Test func `needs of the machine are said on the command line`() throws {
        server.script("/file", .status(200))
        #expect(try daemon.run("condition", "set", "network=metered").isSuccess)
        let id = try daemon.submit("download", server.url("/file"), "--unmetered")
        _ = try daemon.watch(id, for: "the meter") { $0.reason.cause == .held(.expensive) }
        let shown = try daemon.run("show", "\(id)").output
        #expect(shown.contains("an unmetered network"), "\(shown)")
        #expect(try daemon.run("condition", "clear").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }
}
