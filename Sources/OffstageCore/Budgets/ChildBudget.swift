// SPDX-License-Identifier: Apache-2.0

/// Limits for the shell commands that people have configured: completion commands and the credential helper.
package struct ChildBudget: Sendable, Hashable {
    /// Simultaneous completion commands; the others wait, in the order in which the transfers ended.
    package var completions = 8
    /// Seconds after which a completion command's processes are killed.
    package var completionSeconds = 3600.0
    /// Waiting completion commands; any further ones are only mentioned in the log.
    package var waitingCompletions = 20_000
    /// Simultaneous credential helpers.
    package var helpers = 4
    /// Seconds for a helper's answer.
    package var helperSeconds = 60.0
    /// The most bytes of a helper's answer.
    package var helperBytes = 65_536
    /// Waiting questions to the helper.
    package var waitingHelpers = 1000

    package init() {}
}
