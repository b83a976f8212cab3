// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet leave` ends this machine's membership.
package struct FleetLeaveCommand: FleetCommand {
    package static let path = ["fleet", "leave"]
    package static let summary = "End this machine's membership: what it holds goes to others at once."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Ends the member's process, lets go of its transfers without a word to their servers, so that another member
        goes on in the same upload sessions, gives its rows back, and removes its settings. 'offstage fleet drain'
        first lets it finish what it has.
        """
    package static let options = [
        CommandOption("--force", help: "remove the settings although the database or the daemon cannot be reached")
    ]
    package static let examples = [CommandExample("offstage fleet leave", "give everything back, and be no member")]

    package let isForced: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isForced = arguments.takeFlag("--force")
        try arguments.expectNoOperands()
    }
}
