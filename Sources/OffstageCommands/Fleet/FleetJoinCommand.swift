// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage fleet join URL --name NAME` makes this machine a member of a fleet.
package struct FleetJoinCommand: FleetCommand {
    package static let path = ["fleet", "join"]
    package static let summary = "Make this machine a member of a fleet, which sends files for it."
    package static let synopsis = ["--name NAME [OPTION…] [URL]"]
    package static let discussion = """
        Needs a login with the role member, and the fleet's private key. The settings are kept in fleet-member.json beside
        offstage's own, readable by this user alone, and 'offstage-fleet member run' is the member then. Only files in the
        folders named with --share are sent for the fleet, and only the accounts named with --account are used for it. Done
        again, it changes labels and folders.
        """
    package static let options = [
        CommandOption("--name", value: "NAME", help: "the member's name in the fleet; each row can be bound to it"),
        CommandOption(
            "--label",
            value: "NAME=VALUE",
            help: "what rows may want of their member, as site=seoul; repeatable"
        ),
        CommandOption(
            "--share",
            value: "FOLDER",
            kind: .directory,
            help: "send files in this folder for the fleet; repeatable"
        ),
        CommandOption(
            "--account",
            value: "NAME",
            help: "use this account, or Google key file, for the fleet; repeatable"
        ),
        CommandOption(
            "--key",
            value: "FILE",
            kind: .file,
            help: "the fleet's private key (fleet.key beside the store)"
        ),
        CommandOption(
            "--fingerprint",
            value: "TEXT",
            help: "the fingerprint of that key, as the fleet's owner gave it"
        ),
        CommandOption("--rows", value: "N", help: "rows that are carried out at a time (8)"),
        CommandOption("--device", help: "take no rows: take rules from the fleet, for this machine's own transfers"),
        CommandOption("--shows", help: "with --device: show the fleet how its transfers end, and its conditions"),
        CommandOption("--polls", help: "ask for new rows now and then: a pooler passes no notifications on"),
    ]
    package static let examples = [
        CommandExample(
            "offstage fleet join postgresql://seoul@db.example/fleet --name nas-1 --label site=seoul --share /mnt/media",
            "a worker that sends from shared storage"
        ),
        CommandExample(
            "offstage fleet join --name phone-7 --device --shows",
            "a device that is watched from one place"
        ),
    ]

    package let database: String?
    package let name: String
    package let labels: [String]
    package let shares: [String]
    package let accounts: [String]
    package let key: String?
    package let fingerprint: String?
    package let rows: Int
    package let isDevice: Bool
    package let shows: Bool
    package let polls: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        guard let name = arguments.takeValue("--name") else { throw UsageError("name the member: --name NAME") }
        guard FleetText.isName(name) else {
            throw UsageError("a name has 1 to 63 letters, digits, dots, hyphens and underscores")
        }
        self.name = name
        labels = arguments.takeValues("--label")
        if let word = labels.first(where: { !FleetLabels.isLabel($0) }) {
            throw UsageError("'\(word.redactedControls)' is not a label such as site=seoul")
        }
        shares = arguments.takeValues("--share")
        accounts = arguments.takeValues("--account")
        key = arguments.takeValue("--key")
        fingerprint = arguments.takeValue("--fingerprint")
        let rows = arguments.takeValue("--rows").map { Int(digits: $0) ?? 0 } ?? 8
        guard (1...1000).contains(rows) else { throw UsageError("--rows takes a number from 1 to 1000") }
        self.rows = rows
        isDevice = arguments.takeFlag("--device")
        shows = arguments.takeFlag("--shows")
        polls = arguments.takeFlag("--polls")
        guard isDevice || !shows else { throw UsageError("--shows goes with --device") }
        database = try FleetAddressArgument.parse(&arguments)
    }
}
