// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// `offstage metrics` of a daemon that has something to count.
@Suite struct MetricsTests {
    private func samples(_ daemon: DaemonFixture) throws -> [String: Double] {
        let result = try daemon.run("metrics")
        #expect(result.isSuccess, "\(result)")
        return try PrometheusParser.samples(in: result.output)
    }

    @Test(.enabled(if: PrometheusParser.isPossible, "needs python3-prometheus-client"))
    func `transfers are counted by state, outcome and bytes`() throws {
        let daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 600, "retryMaximumDelay": 600}"#)
        let server = try FaultServer()
        server.script("/in", .status(201))
        server.script("/gone", .status(404))
        server.script("/busy", .status(503))
        server.script("/file", .file(FaultFile(random: 70_000, seed: 7)))
        _ = try daemon.makeFile("a", bytes: 30_000)
        let sent = try daemon.submit("upload", "a", server.url("/in"))
        let fetched = try daemon.submit("download", server.url("/file"), "-o", "b")
        let refused = try daemon.submit("upload", "a", server.url("/gone"))
        try daemon.wait(sent, fetched, refused)
        let busy = try daemon.submit("upload", "a", server.url("/busy"))
        try daemon.watch(busy, for: "a retry") { $0.kind == .waiting }
        let later = try daemon.submit("download", server.url("/file"), "-o", "c", "--begin", "+2h")
        let paused = try daemon.submit("download", server.url("/file"), "-o", "d", "--begin", "+2h")
        #expect(try daemon.run("pause", "\(paused)").isSuccess)

        var figures = try samples(daemon)
        #expect(figures["offstage_transfers reason=retry state=waiting"] == 1)
        #expect(figures["offstage_transfers reason=earliestBegin state=waiting"] == 1)
        #expect(figures["offstage_transfers reason=paused state=paused"] == 1)
        #expect(figures["offstage_transfers reason=running state=running"] == 0)
        #expect(figures["offstage_finished_transfers"] == 3)
        #expect(figures["offstage_transfers_accepted_total direction=upload"] == 3)
        #expect(figures["offstage_transfers_ended_total direction=upload outcome=completed"] == 1)
        #expect(figures["offstage_transfers_ended_total direction=upload outcome=failed"] == 1)
        #expect(figures["offstage_transfers_ended_total direction=download outcome=completed"] == 1)
        #expect(figures["offstage_attempts_total direction=upload outcome=completed"] == 1)
        #expect(figures["offstage_attempts_total direction=upload outcome=failed"] == 2)
        #expect(figures["offstage_attempt_failures_total failure=serverBusy"] == 1)
        #expect(figures["offstage_attempt_failures_total failure=httpStatus"] == 1)
        #expect(figures["offstage_sent_bytes_total"] == 90_000)
        #expect(figures["offstage_received_bytes_total"] == 70_000)
        #expect(figures["offstage_hand_over_seconds_count"] == 6)
        #expect(figures["offstage_first_byte_seconds_count direction=upload"] == 3)
        #expect(figures["offstage_first_byte_seconds_count direction=download"] == 1)
        #expect(figures["offstage_attempt_seconds_count direction=upload"] == 3)
        #expect((figures["offstage_store_commit_seconds_count"] ?? 0) > 5)
        #expect((figures["offstage_store_size_bytes file=store"] ?? 0) > 0)
        #expect((figures["offstage_resident_bytes"] ?? 0) > 1_000_000)

        // A new daemon's counters start at 0, and its gauges show what exists.
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try eventually("what was left is counted") {
            figures = try samples(daemon)
            return figures["offstage_transfers reason=earliestBegin state=waiting"] == 1 ? true : nil
        }
        #expect(figures["offstage_transfers reason=retry state=waiting"] == 1)
        #expect(figures["offstage_transfers reason=paused state=paused"] == 1)
        #expect(figures["offstage_finished_transfers"] == 3)
        #expect(figures["offstage_sent_bytes_total"] == 0)
        #expect(try daemon.run("cancel", "\(later)", "\(paused)", "\(busy)").isSuccess)
        figures = try samples(daemon)
        #expect(figures.filter { $0.key.hasPrefix("offstage_transfers ") }.values.allSatisfy { $0 == 0 })
        #expect(figures["offstage_finished_transfers"] == 6)
    }

    @Test func `what runs, and what is in line behind it, is counted`() throws {
        let daemon = try DaemonFixture(settings: #"{"connectionsPerHost": 2}"#)
        let server = try FaultServer()
        server.script("/in", .status(201))
        _ = try daemon.makeFile("a", bytes: 10_000_000)
        let ids = try (0..<5).map { _ in
            try daemon.submit("upload", "--limit-rate", "100k", "a", server.url("/in"))
        }
        try daemon.watchBytes(ids[1], atLeast: 1)
        let metrics = try daemon.json("metrics")["metrics"]
        func value(_ name: String, _ reason: String) -> Double? {
            let family = metrics.array.first { $0["name"].string == name }
            return family?["samples"].array.first { $0["labels"]["reason"].string == reason }?["value"].number
        }
        #expect(value("offstage_transfers", "running") == 2)
        #expect(value("offstage_transfers", "hostLimit") == 3)
        #expect(value("offstage_transfers", "inLine") == 0)
    }

    @Test func `no daemon is started, and none is an exit status of 3`() throws {
        let daemon = try DaemonFixture()
        let result = try daemon.run("metrics")
        #expect(result.status == .exited(3))
        #expect(result.output.isEmpty)
        #expect(daemon.daemonProcessIDs.isEmpty)
    }
}
