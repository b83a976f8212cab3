// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The text that Prometheus and similar programs read.
@Suite struct OpenMetricsTests {
    static func metrics(_ change: (inout DaemonMetrics) -> Void = { _ in }) -> DaemonMetrics {
        var metrics = DaemonMetrics(
            version: OffstageVersion(major: 1, minor: 2, patch: 3),
            startedAt: Date(timeIntervalSince1970: 1_800_000_000.5),
            process: .init(processorTime: 1.25, residentBytes: 12_000_000),
            connections: 2,
            notices: 1,
            transfers: TransferMetrics(),
            standings: Tally(),
            line: Tally(),
            store: .init(commits: Histogram(.commits), bytes: 4096, logBytes: 0, finished: 3, isFailing: false),
            apps: Tally(),
            tasks: Tally(),
            accounts: Tally()
        )
        change(&metrics)
        return metrics
    }

    private func lines(_ metrics: DaemonMetrics, of name: String) -> [Substring] {
        OpenMetricsText.of(metrics.families).split(separator: "\n").filter { $0.hasPrefix(name) }
    }

    @Test func `a family has its type, unit, help and samples, and the text an end`() {
        let family = MetricFamily("moved_bytes", .counter, unit: "bytes", created: 12.5, #"A "word" \ and"# + "\nmore.")
        let text = OpenMetricsText.of([family.with(3, .init("to", "a\"b\\c\nd")).with(0.5)])
        #expect(
            text == #"""
                # TYPE moved_bytes counter
                # UNIT moved_bytes bytes
                # HELP moved_bytes A \"word\" \\ and\nmore.
                moved_bytes_total{to="a\"b\\c\nd"} 3
                moved_bytes_created{to="a\"b\\c\nd"} 12.5
                moved_bytes_total 0.5
                moved_bytes_created 12.5
                # EOF

                """#
        )
    }

    @Test func `buckets add up, and end with all`() {
        let metrics = Self.metrics { metrics in
            for seconds in [0.0004, 0.0004, 0.02, 99] { metrics.transfers.handOver.observe(seconds) }
        }
        let found = lines(metrics, of: "offstage_hand_over_seconds")
        #expect(found.first == #"offstage_hand_over_seconds_bucket{le="0.0005"} 2"#)
        #expect(found.contains(#"offstage_hand_over_seconds_bucket{le="0.01"} 2"#))
        #expect(found.contains(#"offstage_hand_over_seconds_bucket{le="1.0"} 3"#))
        #expect(found.contains(#"offstage_hand_over_seconds_bucket{le="+Inf"} 4"#))
        #expect(found.contains("offstage_hand_over_seconds_count 4"))
        #expect(found.last == "offstage_hand_over_seconds_created 1800000000.5")
    }

    @Test func `a record that cannot be read counts as set aside`() {
        let metrics = Self.metrics { metrics in
            metrics.standings.add(.setAside, 2)
            metrics.standings.add(.unreadable)
            metrics.line.add(.network, 5)
        }
        let found = lines(metrics, of: "offstage_transfers{")
        #expect(found.contains(#"offstage_transfers{state="waiting",reason="setAside"} 3"#))
        #expect(found.contains(#"offstage_transfers{state="queued",reason="network"} 5"#))
        #expect(found.count == LineStanding.allCases.count + TransferStanding.allCases.count - 2)
    }

    @Test func `whatever the values are, the series are the same`() {
        func series(_ metrics: DaemonMetrics) -> [String] {
            metrics.families.flatMap(\.samples).map { "\($0.name) \($0.labels.map(\.value))" }
        }
        let busy = Self.metrics { metrics in
            metrics.standings.add(.retry, 100_000)
            metrics.transfers.failures.add(.diskFull)
            metrics.apps.add(.active)
            metrics.accounts.add(.needsSignIn)
        }
        #expect(series(busy) == series(Self.metrics()))
        #expect(Set(series(busy)).count == series(busy).count)
        #expect(series(busy).count < 400)
    }

    @Test func `the figures are the same at the other end of the wire`() throws {
        let metrics = Self.metrics { metrics in
            metrics.transfers.moved(12, isUpload: true)
            metrics.store.commits.observe(0.004)
            metrics.tasks.add(.pending, 4)
        }
        #expect(try WireCoding.decodeFromDaemon(DaemonMetrics.self, from: WireCoding.encode(metrics)) == metrics)
    }

    @Test(.enabled(if: PrometheusParser.isPossible, "needs python3-prometheus-client"))
    func `Prometheus' own parser reads all of it`() throws {
        let metrics = Self.metrics { metrics in
            metrics.transfers.moved(1 << 60, isUpload: true)
            metrics.transfers.uploads.firstByte.observe(3)
            metrics.store.commits.observe(0.01)
        }
        let read = try PrometheusParser.samples(in: OpenMetricsText.of(metrics.families))
        #expect(read.count == metrics.families.flatMap(\.samples).count)
        #expect(read["offstage_sent_bytes_total"] == Double(1 << 60))
        #expect(read[#"offstage_first_byte_seconds_bucket direction=upload le=5.0"#] == 1)
        #expect(read["offstage_daemon_info version=1.2.3"] == 1)
        // The parser is strict.
        #expect(throws: (any Error).self) { try PrometheusParser.samples(in: "# TYPE a counter\na 1\n# EOF\n") }
    }
}
