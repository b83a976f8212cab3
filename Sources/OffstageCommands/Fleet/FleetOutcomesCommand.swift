// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage fleet outcomes [MEMBER…]` shows the outcomes that devices have published of their own transfers.
package struct FleetOutcomesCommand: FleetCommand {
    package static let path = ["fleet", "outcomes"]
    package static let summary = "List how the own transfers of devices ended, the last first."
    package static let synopsis = ["[OPTION…] [MEMBER…]"]
    package static let discussion = """
        A device is a member that takes no rows ('offstage fleet join --device'). With --shows it shows how its own
        transfers end, and the conditions of its machine, which 'offstage fleet members' lists. 'offstage fleet prune'
        forgets what is old.
        """
    package static let options = [
        CommandOption("--failed", help: "only those that did not arrive"),
        CommandOption("--limit", "-n", value: "COUNT", help: "at most COUNT (100)"),
    ]
    package static let examples = [
        CommandExample("offstage fleet outcomes --failed", "what went wrong lately, and where"),
        CommandExample("offstage fleet outcomes phone-7 -n 20", "the last twenty of one device"),
    ]

    /// Empty for all.
    package let members: [String]
    package let showsFailed: Bool
    package let most: Int

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        showsFailed = arguments.takeFlag("--failed")
        most = try arguments.takeValue("--limit", "a number from 1 to 1000", Quantity.count) ?? 100
        guard (1...1000).contains(most) else { throw UsageError("--limit takes a number from 1 to 1000") }
        members = arguments.takeOperands()
        guard members.count <= 100 else { throw UsageError("name at most 100 members") }
        if let word = members.first(where: { !FleetText.isName($0) }) {
            throw UsageError(
                "'\(word.redactedControls)' is not the name of a member; 'offstage fleet members' lists them"
            )
        }
    }
}
