// SPDX-License-Identifier: Apache-2.0

/// What the shell commands that people configured may take: completion commands and the credential helper.
package struct ChildBudget: Sendable, Hashable {
    /// Completion commands that run at a time; the others wait in the order of the ends.
    package var completions = 8
    /// How long a completion command may run before its processes are killed. Seconds.
    package var completionSeconds = 3600.0
    /// Completion commands that wait; what ends beyond that is told in the log alone.
    package var waitingCompletions = 20_000
    /// Credential helpers that run at a time.
    package var helpers = 4
    /// How long a helper may take to answer. Seconds.
    package var helperSeconds = 60.0
    /// What is read of a helper's answer. Bytes.
    package var helperBytes = 65_536
    /// Questions to the helper that wait.
    package var waitingHelpers = 1000

    package init() {}
}
