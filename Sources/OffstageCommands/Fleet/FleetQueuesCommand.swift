// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet queues` lists the queues with the number of their rows in each state.
package struct FleetQueuesCommand: FleetCommand {
    package static let path = ["fleet", "queues"]
    package static let summary =
        "List the queues of the fleet, and how many of their rows wait, are under way and have ended."
    package static let synopsis = [""]
    package static let examples = [CommandExample("offstage fleet queues", "what is left to do")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }
}
