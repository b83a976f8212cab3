// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The daemon's figures as metrics (docs/metrics.md).
extension DaemonMetrics {
    /// All families; always the same ones, whatever their values.
    package var families: [MetricFamily] { ofTransfers + ofAttempts + ofTimes + ofTheRest + ofTheDaemon }

    private typealias Label = MetricFamily.Label

    /// When every count began, in seconds since 1970.
    private var start: Double { startedAt.timeIntervalSince1970 }

    private var ways: [(label: Label, figures: TransferMetrics.OneWay)] {
        [(Label("direction", "upload"), transfers.uploads), (Label("direction", "download"), transfers.downloads)]
    }

    private func counter(_ name: String, unit: String? = nil, _ help: String) -> MetricFamily {
        MetricFamily(name, .counter, unit: unit, created: start, help)
    }

    private func times(_ name: String, _ help: String) -> MetricFamily {
        MetricFamily(name + "_seconds", .histogram, unit: "seconds", created: start, help)
    }

    private var ofTransfers: [MetricFamily] {
        var queue = MetricFamily(
            "offstage_transfers",
            .gauge,
            "Transfers that have not ended, by state and by what they wait for."
        )
        for cause in LineStanding.allCases {
            queue = queue.with(line[cause], Label("state", "queued"), Label("reason", cause.rawValue))
        }
        // A transfer whose record cannot be read is set aside, too.
        for standing in TransferStanding.allCases where standing != .queued && standing != .unreadable {
            let unreadable = standing == .setAside ? standings[.unreadable] : 0
            let count = standings[standing].addingClamped(unreadable)
            queue = queue.with(count, Label("state", standing.kind.rawValue), Label("reason", standing.rawValue))
        }
        let finished = MetricFamily(
            "offstage_finished_transfers",
            .gauge,
            "Transfers that have ended and are still on record."
        )
        var accepted = counter("offstage_transfers_accepted", "Transfers that were handed over.")
        var ended = counter("offstage_transfers_ended", "Transfers that have ended, by outcome.")
        for way in ways {
            accepted = accepted.with(way.figures.accepted, way.label)
            for end in TransferEnd.allCases {
                ended = ended.with(way.figures.ends[end], way.label, Label("outcome", end.rawValue))
            }
        }
        return [queue, finished.with(store.finished), accepted, ended]
    }

    private var ofAttempts: [MetricFamily] {
        let sent = counter(
            "offstage_sent_bytes",
            unit: "bytes",
            "Bytes of files and bodies sent to servers, repetitions included."
        )
        let received = counter(
            "offstage_received_bytes",
            unit: "bytes",
            "Bytes of files received from servers, repetitions included."
        )
        var attempts = counter("offstage_attempts", "Attempts that have ended, by outcome.")
        for way in ways {
            for outcome in AttemptOutcome.allCases {
                attempts = attempts.with(way.figures.attempts[outcome], way.label, Label("outcome", outcome.rawValue))
            }
        }
        var failures = counter("offstage_attempt_failures", "Attempts that have failed, by cause.")
        for code in TransferFailure.Code.allCases {
            failures = failures.with(transfers.failures[code], Label("failure", code.rawValue))
        }
        return [
            sent.with(Double(transfers.uploads.bytes)), received.with(Double(transfers.downloads.bytes)), attempts,
            failures,
        ]
    }

    private var ofTimes: [MetricFamily] {
        var firstByte = times(
            "offstage_first_byte",
            "From the moment a transfer could begin to the first byte of its first attempt."
        )
        var attempt = times("offstage_attempt", "From the beginning of an attempt to its end.")
        for way in ways {
            firstByte = firstByte.with(way.figures.firstByte, way.label)
            attempt = attempt.with(way.figures.attemptTimes, way.label)
        }
        let handOver = times("offstage_hand_over", "From the hand-over of transfers to their commit.")
        let commit = times("offstage_store_commit", "Commits of the store.")
        return [handOver.with(transfers.handOver), firstByte, attempt, commit.with(store.commits)]
    }

    private var ofTheRest: [MetricFamily] {
        [
            MetricFamily("offstage_store_size_bytes", .gauge, unit: "bytes", "Bytes of the store's files.")
                .with(Double(store.bytes), Label("file", "store")).with(Double(store.logBytes), Label("file", "log")),
            MetricFamily("offstage_store_failing", .gauge, "1 while the store cannot be read or written.")
                .with(store.isFailing ? 1 : 0),
            MetricFamily("offstage_apps", .gauge, "Registered apps, by state.").with(apps, "state"),
            MetricFamily("offstage_tasks", .gauge, "Requests for deferred work, by state.").with(tasks, "state"),
            MetricFamily("offstage_accounts", .gauge, "Accounts, by whether they need a sign-in or a key.")
                .with(accounts, "state"),
        ]
    }

    private var ofTheDaemon: [MetricFamily] {
        [
            MetricFamily("offstage_connections", .gauge, "Connected clients.").with(connections),
            MetricFamily("offstage_notices", .gauge, "Notices that 'offstage daemon status' shows.").with(notices),
            counter("offstage_processor_seconds", unit: "seconds", "Processor time used by the daemon.")
                .with(process.processorTime),
            MetricFamily(
                "offstage_resident_bytes",
                .gauge,
                unit: "bytes",
                "Memory of the daemon, shared parts included."
            ).with(Double(process.residentBytes)),
            MetricFamily(
                "offstage_start_time_seconds",
                .gauge,
                unit: "seconds",
                "When the daemon started, in seconds since 1970."
            ).with(start),
            MetricFamily("offstage_daemon", .info, "The daemon's version.").with(
                1,
                Label("version", version.description)
            ),
        ]
    }
}

extension MetricFamily {
    fileprivate func with(_ value: Int, _ labels: Label...) -> MetricFamily { with(Double(value), labels) }

    fileprivate func with(_ histogram: Histogram, _ labels: Label...) -> MetricFamily {
        with(histogram.scale.bounds, histogram.counts, sum: histogram.sum, labels)
    }

    /// All kinds, each with its name as the label.
    fileprivate func with<Kind>(_ tally: Tally<Kind>, _ label: String) -> MetricFamily {
        Kind.allCases.reduce(self) { $0.with(tally[$1], Label(label, $1.rawValue)) }
    }
}
