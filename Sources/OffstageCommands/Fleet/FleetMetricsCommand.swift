// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet metrics` prints the fleet's figures for Prometheus and the like.
package struct FleetMetricsCommand: FleetCommand {
    package static let path = ["fleet", "metrics"]
    package static let summary = "Print the fleet's figures in the OpenMetrics text format."
    package static let synopsis = [""]
    package static let discussion = """
        Rows by queue and state, members by state, limits of servers and what counts against them, the age of the oldest row
        that waits, the version of the schema. One query each, whatever is on record. docs/metrics.md lists all.
        """
    package static let examples = [CommandExample("offstage fleet metrics", "all figures, once")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }
}
