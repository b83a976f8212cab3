// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet restored` prepares a database that was restored from a backup for its members.
package struct FleetRestoredCommand: FleetCommand {
    package static let path = ["fleet", "restored"]
    package static let summary = "Make the fleet's database safe after it was restored from an older backup."
    package static let synopsis = ["--yes"]
    package static let discussion = """
        A backup has forgotten what came after it: leases, ends, and the numbers of later rows. Members still know
        them. This fences every member, so that whatever they report of that time is refused and they join anew, and
        skips a thousand million numbers, so that no later row gets the number of a forgotten one. Do it before the
        members reach the database. Rows that had not ended when the backup was made are sent again.
        """
    package static let options = [CommandOption("--yes", "-y", help: "the database was restored: do it")]
    package static let examples = [CommandExample("offstage fleet restored --yes", "before the members are let in")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        guard arguments.takeFlag("--yes") else {
            throw UsageError("this fences every member: give --yes if the database was restored from a backup")
        }
        try arguments.expectNoOperands()
    }
}
