// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage forget ID…`: Delete finished transfers from the list.
package struct ForgetCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.forget
    package static let pastTense = "Forgot"
    package static let summary = "Delete finished transfers from the list."
    package static let discussion = """
        Deletes only the record, and the partial file of a failed download; a finished file stays where it is.
        """
    package static let examples = [
        CommandExample("offstage forget --all", "delete all finished transfers from the list")
    ]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
