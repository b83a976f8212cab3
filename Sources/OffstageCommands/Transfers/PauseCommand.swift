// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage pause ID…`: Hold transfers until they are resumed.
package struct PauseCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.pause
    package static let pastTense = "Paused"
    package static let summary = "Hold transfers until they are resumed."
    package static let discussion = """
        The partial file of a download is kept. A paused transfer uses up none of its total time (--max-time).
        """
    package static let examples = [CommandExample("offstage pause 7 9-12", "hold five transfers")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
