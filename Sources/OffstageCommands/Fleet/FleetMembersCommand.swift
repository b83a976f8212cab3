// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet members` lists the members with their versions, heartbeats and numbers of rows.
package struct FleetMembersCommand: FleetCommand {
    package static let path = ["fleet", "members"]
    package static let summary = "List the members of the fleet: state, version, last heartbeat, rows, labels."
    package static let synopsis = ["[OPTION…]"]
    package static let options = [
        CommandOption("--left", help: "also those that have left"),
        CommandOption("--quiet", "-q", help: "print only names, one per line"),
    ]
    package static let examples = [CommandExample("offstage fleet members", "who is there")]

    package let showsLeft: Bool
    package let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        showsLeft = arguments.takeFlag("--left")
        isQuiet = arguments.takeFlag("--quiet")
        try arguments.expectNoOperands()
    }
}
