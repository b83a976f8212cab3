// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage cancel ID…`: End transfers that are not done.
package struct CancelCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.cancel
    package static let pastTense = "Cancelled"
    package static let summary = "End transfers that are not done."
    package static let discussion = """
        Deletes the partial file of a download. 'offstage retry ID' restarts a cancelled transfer.
        """
    package static let examples = [CommandExample("offstage cancel 7", "end transfer 7")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
