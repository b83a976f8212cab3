// SPDX-License-Identifier: Apache-2.0

/// `offstage-fleet member run` is the process of this machine's member, started by a service manager.
package struct FleetMemberRunCommand: FleetCommand {
    package static let path = ["fleet", "member", "run"]
    package static let summary = "Be this machine's member of its fleet, until SIGTERM."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Leases rows of the database, and has the daemon carry them out. It keeps what it holds when it ends: started again
        before the lease is over, it goes on. 'offstage fleet join' makes the machine a member.
        """
    package static let examples = [CommandExample("offstage-fleet member run", "as a service manager starts it")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }
}
