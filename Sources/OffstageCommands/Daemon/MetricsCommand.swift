// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// `offstage metrics` prints the daemon's figures for Prometheus and the like; it does not start one.
package struct MetricsCommand: Command {
    package static let path = ["metrics"]
    package static let summary = "Print the daemon's figures in the OpenMetrics text format."
    package static let synopsis = [""]
    package static let discussion = """
        Transfers by state and by what they wait for, bytes, attempts and ends by outcome, times as histograms, apps,
        deferred work, accounts, the store. Counts begin at 0 with the daemon. Starts no daemon: the exit status is 3 if none
        is running. docs/metrics.md lists all.
        """
    package static let examples = [
        CommandExample("offstage metrics", "all figures, once"),
        CommandExample(
            "offstage metrics > offstage.prom.$$ && mv offstage.prom.$$ offstage.prom",
            "for a program that collects files"
        ),
    ]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let metrics = try context.connector(mayStart: false).connect().send(GetMetrics())
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(metrics: metrics.families)))
        } else {
            context.output.write(OpenMetricsText.of(metrics.families))
        }
        return .success
    }

    /// The metrics in `--json` output (docs/json.md).
    private struct Document: Encodable { let metrics: [MetricFamily] }
}
