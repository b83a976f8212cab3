// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage resume ID…`: Let paused transfers go on.
package struct ResumeCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.resume
    package static let pastTense = "Resumed"
    package static let summary = "Let paused transfers go on."
    package static let discussion = """
        A transfer that waits to be tried again goes on at once.
        """
    package static let examples = [CommandExample("offstage resume --all", "let everything go on")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
