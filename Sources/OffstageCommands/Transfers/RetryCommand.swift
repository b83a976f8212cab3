// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage retry ID…`: Try again at once what failed, was cancelled or waits.
package struct RetryCommand: ActingCommand {
    package static let verb = ActOnTransfers.Verb.retry
    package static let pastTense = "Queued again:"
    package static let summary = "Try again at once what failed, was cancelled or waits."
    package static let discussion = """
        A failed download goes on from what has arrived, where the server allows it. A transfer that waits for a network or a
        moment as its app wants them (a network without a meter, external power) no longer waits for them.
        """
    package static let examples = [CommandExample("offstage retry --all", "try everything again that failed")]

    package let selection: ActOnTransfers.Selection
    package let doubt: ActingDoubt?

    package init(selection: ActOnTransfers.Selection, doubt: ActingDoubt?) {
        self.selection = selection
        self.doubt = doubt
    }
}
