// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet why [ID…]` explains why rows are not done, and what the user can do.
package struct FleetWhyCommand: FleetCommand {
    package static let path = ["fleet", "why"]
    package static let summary = "Say why rows of the fleet are not done, and what to do about it."
    package static let synopsis = ["[OPTION…] [ID…]"]
    package static let discussion = """
        Says for which labels a row waits and what has become of the members that have them, whether its queue is
        paused, whether its server has reached a limit, and how many are in line before it. Without a number: the
        newest rows that have not ended or have failed.
        """
    package static let examples = [
        CommandExample("offstage fleet why 7", "waits for a member with label site=seoul; three are drained"),
        CommandExample("offstage fleet why", "the newest that are not done"),
    ]

    package let ids: [Int64]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        ids = try FleetRowArguments.parse(arguments.takeOperands())
    }
}
