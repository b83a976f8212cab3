// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet use URL` sets the fleet for this user's commands.
package struct FleetUseCommand: FleetCommand {
    package static let path = ["fleet", "use"]
    package static let summary = "Say which fleet this user's commands are for, or show it."
    package static let synopsis = ["[OPTION…] [URL]"]
    package static let discussion = """
        Connects to the database, and keeps its address in fleet.json beside the settings, readable by this user
        alone. Secrets of a submission are sealed only to a key whose fingerprint was given here, as somebody who
        writes to the database could exchange the key there: 'offstage fleet init' prints it. OFFSTAGE_FLEET_DATABASE
        outweighs what is kept.
        """
    package static let options = [
        CommandOption("--fingerprint", value: "HEX", help: "the fingerprint of the fleet's key, as its owner gave it")
    ]
    package static let examples = [
        CommandExample("offstage fleet use", "show it"),
        CommandExample("offstage fleet use postgresql://ann@db.example/fleet", "as a viewer"),
        CommandExample(
            "offstage fleet use postgresql://ann@db.example/fleet --fingerprint 9f3a…",
            "as a submitter, whose rows may have secrets"
        ),
    ]

    package let database: String?
    package let fingerprint: String?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        fingerprint = arguments.takeValue("--fingerprint")
        database = try FleetAddressArgument.parse(&arguments)
    }
}
