// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage fleet drain [NAME]` lets a member finish its rows, and take no more.
package struct FleetDrainCommand: FleetCommand {
    package static let path = ["fleet", "drain"]
    package static let summary = "Let a member finish what it has, and take no more rows."
    package static let synopsis = ["[OPTION…] [NAME]"]
    package static let discussion = """
        Without NAME, this machine's own member. The login needs the role operator, or must be the one that the member joined
        with. 'offstage fleet members' shows when it is drained; it takes rows again after --undo.
        """
    package static let options = [CommandOption("--undo", help: "let it take rows again")]
    package static let examples = [
        CommandExample("offstage fleet drain nas-1", "before its machine is taken down"),
        CommandExample("offstage fleet drain nas-1 --undo", "it takes rows again"),
    ]

    package let name: String?
    package let undoes: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        undoes = arguments.takeFlag("--undo")
        let words = arguments.takeOperands()
        guard words.count < 2 else { throw UsageError("name one member") }
        if let word = words.first, !FleetText.isName(word) {
            throw UsageError("'\(word.redactedControls)' is not the name of a member")
        }
        name = words.first
    }
}
