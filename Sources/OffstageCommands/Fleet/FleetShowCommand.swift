// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet show ID…` prints the details of rows.
package struct FleetShowCommand: FleetCommand {
    package static let path = ["fleet", "show"]
    package static let summary = "Show what is known of rows of the fleet: where to, where it stands, how it ended."
    package static let synopsis = ["[OPTION…] ID…"]
    package static let discussion = """
        Neither the specification of a row nor anything sealed is readable for people: secrets are not shown because they are
        not there.
        """
    package static let options = [
        CommandOption("--receipt", help: "only what the member and the server say of the file that arrived")
    ]
    package static let examples = [
        CommandExample("offstage fleet show 7", "everything about row 7"),
        CommandExample("offstage fleet show 7-9 --json", "three rows for a script"),
    ]

    package let ids: [Int64]
    package let showsReceipt: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        showsReceipt = arguments.takeFlag("--receipt")
        ids = try FleetRowArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a row's number; 'offstage fleet list' shows them") }
    }
}
