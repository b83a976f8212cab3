// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage resume ID…`: Continue paused transfers.
package struct ResumeCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.resume
    package static let pastTense = "Resumed"
    package static let summary = "Continue paused transfers."
    package static let discussion = """
        A transfer that waits for its next attempt continues at once.
        """
    package static let examples = [CommandExample("offstage resume --all", "continue everything")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
