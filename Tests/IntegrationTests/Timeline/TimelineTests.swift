// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// `offstage timeline` of a real daemon, with real transfers and a real app.
@Suite(.serialized) struct `The timeline of a daemon` {
    private static let app = "org.example.timed"
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1, "backgroundTime": "3"}"#,
            environment: ["LC_ALL": "C.UTF-8"]
        )
        server = try FaultServer()
    }

    /// The output of `offstage timeline --json` for the last hour.
    private func timeline(_ words: String...) throws -> JSONValue {
        let result = try daemon.run(["timeline", "--since", "1h", "--json"] + words)
        guard result.isSuccess else { throw TestError("offstage timeline: \(result)") }
        return try JSONValue(parsing: result.output)
    }

    /// The state of a transfer in the store.
    private func kind(of transfer: Int) throws -> String {
        let script =
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=20); "
            + "print(c.execute('SELECT kind FROM transfers WHERE id = ?', (sys.argv[2],)).fetchone()[0])"
        let look = ["-c", script, daemon.storePath, "\(transfer)"]
        return try ChildProcess("/usr/bin/python3", look).result(within: 30).lines.first ?? ""
    }

    private func outcomes(_ document: JSONValue, of transfer: Int) -> [String?] {
        document.attempts.array.filter { $0.transfer.integer == transfer }.map(\.outcome.string)
    }

    @Test func `transfers that succeed, break, fail, are paused and under way are on it`() throws {
        let gate = FaultGate()
        defer { gate.open() }
        server.script("/good", .status(200, body: "all of it"))
        server.script(
            "/broken",
            .busy(503, retryAfter: nil),
            .busy(503, retryAfter: nil),
            .status(200, body: "at last")
        )
        server.script("/bad", .status(404, body: "no"))
        server.script("/slow", .held(gate, then: .status(200, body: "late")))
        server.script("/held", .held(gate, then: .status(200, body: "late")))
        server.script("/later", .busy(503, retryAfter: "600"))
        let good = try daemon.submit("download", server.url("/good"))
        let broken = try daemon.submit("download", server.url("/broken"))
        let bad = try daemon.submit("download", server.url("/bad"))
        try daemon.wait(good, broken, bad)
        let slow = try daemon.submit("download", server.url("/slow?token=s3cret"), "-o", "slow.bin")
        let held = try daemon.submit("download", server.url("/held"))
        try daemon.watch(slow, for: "its attempt") { $0.kind == .running }
        try daemon.watch(held, for: "its attempt") { $0.kind == .running }
        #expect(try daemon.run("pause", "\(held)").isSuccess)
        let later = try daemon.submit("download", server.url("/later"))
        try daemon.watch(later, for: "a wait") { $0.kind == .waiting }
        let document = try timeline()
        #expect(outcomes(document, of: good) == ["succeeded"])
        #expect(outcomes(document, of: broken) == ["broken", "broken", "succeeded"])
        #expect(outcomes(document, of: bad) == ["failed"])
        #expect(outcomes(document, of: slow) == ["underWay"])
        #expect(outcomes(document, of: held) == ["paused"])
        #expect(outcomes(document, of: later) == ["broken"])
        #expect(document.expected.array.contains { $0.transfer.integer == later && $0.what.string == "retry" })
        #expect(document.states.array.contains { $0.kind.string == "daemon" })
        for attempt in document.attempts.array {
            #expect(attempt.host.string == "127.0.0.1:\(server.port)")
            #expect(attempt.began.string ?? "" <= attempt.ended.string ?? "")
        }
        // Drawn in each way, without the secret in the address.
        let text = try daemon.run("timeline", "--since", "1h").output
        #expect(text.contains("will be tried again"), "\(text)")
        #expect(text.contains("127.0.0.1:\(server.port)"), "\(text)")
        let svg = try daemon.run("timeline", "--since", "2s", "--until", "now", "--svg", "-").output
        let html = try daemon.run("timeline", "--since", "10m", "--html", "-").output
        #expect(svg.contains("class=\"underWay\"") && svg.contains("slow.bin"), "\(svg)")
        #expect(html.contains("interrupted (server busy)"), "\(html)")
        for output in [text, svg, html] { #expect(!output.contains("s3cret")) }
        #expect(try timeline("--host", "127.0.0.1").attempts.array.count == document.attempts.array.count)
        #expect(try timeline("--host", "elsewhere.example").attempts.array.isEmpty)
    }

    @Test func `it outlives a stop, a crash and what is forgotten`() throws {
        server.script("/one", .status(200, body: "1"))
        server.script("/two", .status(200, body: "2"))
        let gate = FaultGate()
        defer { gate.open() }
        let file = FaultFile(random: 3 << 20, seed: 7)
        server.script("/cut", .file(file, holdingAfter: 1 << 20, until: gate), .file(file))
        let one = try daemon.submit("download", server.url("/one"))
        try daemon.wait(one)
        #expect(try daemon.run("daemon", "stop").isSuccess)
        let two = try daemon.submit("download", server.url("/two"))
        try daemon.wait(two)
        let cut = try daemon.submit("download", server.url("/cut"))
        try daemon.watchBytes(cut, atLeast: 1 << 20)
        // The running attempt is in the store before the daemon dies.
        try eventually("it is stored as running") {
            try kind(of: cut) == "running" ? true : nil
        }
        try daemon.killDaemon()
        gate.open()
        try daemon.startOnDemand()
        try daemon.wait(cut)
        var document = try timeline()
        #expect(outcomes(document, of: one) == ["succeeded"])
        #expect(outcomes(document, of: two) == ["succeeded"])
        #expect(outcomes(document, of: cut) == ["broken", "succeeded"])
        #expect(document.attempts.array.contains { $0.failure.string == "daemonInterrupted" })
        #expect(document.states.array.count { $0.kind.string == "daemon" } == 3)
        #expect(document.attempts.array.first { $0.transfer.integer == one }?.file.string == "one")
        #expect(try daemon.run("forget", "\(one)").isSuccess)
        document = try timeline()
        #expect(outcomes(document, of: one) == ["succeeded"])
        #expect(document.attempts.array.first { $0.transfer.integer == one }?.file.string == nil)
    }

    @Test func `an app's states and its deferred work are on it, and what the machine was like`() throws {
        let app = try WiredApp(
            daemon,
            name: "timed",
            flags: "completesTasks",
            bundle: Self.app,
            permits: TaskDriver.all
        )
        try daemon.pretend()
        try app.open()
        let driver = try TaskDriver(app)
        try driver.submit()
        try daemon.ending(TaskDriver.refresh)
        try app.act(.background)
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        try daemon.pretend {
            $0.network = MachineConditions.Network.none
            $0.hasExternalPower = false
        }
        try driver.submit(TaskDriver.cleanup, .processing, after: 1200)
        let document = try timeline("--until", "+2h")
        let states = document.states.array.filter { $0.app.string == Self.app }.compactMap(\.state.string)
        #expect(states.contains("active") && states.contains("background") && states.last == "suspended", "\(states)")
        #expect(
            document.runs.array.contains {
                $0.identifier.string == TaskDriver.refresh && $0.outcome.string == "succeeded"
            }
        )
        let network = document.states.array.filter { $0.kind.string == "network" }.compactMap(\.state.string)
        #expect(network.suffix(2) == ["unmetered", "none"], "\(network)")
        #expect(document.states.array.contains { $0.kind.string == "power" && $0.state.string == "battery" })
        try daemon.pretend()
        let ahead = try timeline("--until", "+2h", "--app", "timed")
        #expect(ahead.expected.array.contains { $0.what.string == "run" && $0.identifier.string == TaskDriver.cleanup })
        let text = try daemon.run("timeline", "--since", "1h", "--until", "+2h", "--app", "timed").output
        for part in ["\(Self.app)\n", "  state ", "  deferred work ", "◇", "left today for deferred work", "network"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        try app.act(.terminate, waits: true)
        try app.wait(for: .terminated)
        let last = try #require(try timeline().states.array.last { $0.app.string == Self.app })
        #expect(last.state.string != "terminated")
    }

    @Test func `the hours of the schedule are to the right of now`() throws {
        try daemon.settings(#"{"schedule": [{"from": "00:00", "to": "24:00", "transfers": false}]}"#)
        let document = try timeline("--until", "+30h")
        #expect(document.schedule.array.count == 1)
        #expect(document.schedule[0].transfers.bool == false)
        #expect(try daemon.run("timeline", "--since", "1h").output.contains("held by the schedule"))
    }

    @Test func `a look costs an idle daemon nothing afterwards, and no transfer a commit`() throws {
        server.script("/one", .status(200, body: "1"))
        try daemon.wait(try daemon.submit("download", server.url("/one")))
        _ = try timeline()
        let before = try TestFiles.read(daemon.storePath + "-wal")
        for _ in 0..<5 { _ = try timeline() }
        // Without news, looking at it writes nothing.
        #expect(try TestFiles.read(daemon.storePath + "-wal") == before)
    }
}
