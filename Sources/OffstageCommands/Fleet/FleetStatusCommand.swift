// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet status` shows a fleet at a glance, over one connection.
package struct FleetStatusCommand: FleetCommand {
    package static let path = ["fleet", "status"]
    package static let summary = "Show the fleet at a glance: queues, members, limits, and what is not done."
    package static let synopsis = [""]
    package static let discussion = """
        One look over one connection; the page ('offstage page') shows the same. Last come rows that do not move, and
        why: the newest twenty that wait or are paused, and the newest five that failed or whose end is unknown.
        """
    package static let examples = [
        CommandExample("offstage fleet status", "the fleet at a glance"),
        CommandExample("offstage fleet status --json | jq .oldestWait", "seconds that the first in line has waited"),
    ]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }
}
