// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage retry ID…`: Retry failed, cancelled or waiting transfers immediately.
package struct RetryCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.retry
    package static let pastTense = "Queued again:"
    package static let summary = "Retry failed, cancelled or waiting transfers at once."
    package static let discussion = """
        A failed download continues from its partial file, if the server allows it. A transfer that waits for conditions that
        its app wants (an unmetered network, external power) no longer waits for them.
        """
    package static let examples = [CommandExample("offstage retry --all", "retry everything that failed")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
