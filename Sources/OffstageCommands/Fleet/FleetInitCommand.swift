// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet init URL` creates a fleet in a database, or brings its schema up to date.
package struct FleetInitCommand: FleetCommand {
    package static let path = ["fleet", "init"]
    package static let summary = "Make a fleet of a PostgreSQL database, or bring its schema up to date."
    package static let synopsis = ["[OPTION…] [URL]"]
    package static let discussion = """
        Creates the schema offstage and the roles offstage_viewer, _submitter, _member and _operator, and makes the
        fleet's key: secrets of rows are sealed to its public half, and members hold the private one, which is written
        to a file of this user alone. Carry that file to each member, and tell submitters the fingerprint that is
        printed. Done again, it changes nothing, and it upgrades an older schema step by step.
        URL is postgresql://USER@HOST/NAME, or words such as 'host=/run/postgresql dbname=fleet'; the login must be
        allowed to create roles. The connection is verified (sslmode=verify-full), except for a socket of this
        machine. Without URL: OFFSTAGE_FLEET_DATABASE, or the fleet that was last used. A password belongs into
        ~/.pgpass.
        """
    package static let options = [
        CommandOption(
            "--key",
            value: "FILE",
            kind: .file,
            help: "where the fleet's private key is, or is written (fleet.key beside the store)"
        )
    ]
    package static let examples = [
        CommandExample("offstage fleet init postgresql://admin@db.example/fleet", "make a fleet, or upgrade it"),
        CommandExample(
            "offstage fleet init 'host=/run/postgresql dbname=fleet'",
            "the same on the database's own machine, without TLS"
        ),
    ]

    package let database: String?
    package let keyPath: String?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        keyPath = arguments.takeValue("--key")
        database = try FleetAddressArgument.parse(&arguments)
    }
}
