// SPDX-License-Identifier: Apache-2.0

/// Whose turn it is on the writer's thread, once something is to be forgotten: that of whoever waits for a commit, but not
/// for ever, or records would grow beyond what is to be kept.
package struct PruneTurn: Sendable {
    private var batches = 0

    /// So many batches of commits go first. A piece is then about as many records as so many batches have made.
    package static let patience = 8

    package init() {}

    /// Asked once for each batch of commits, and when there was none, while something is to be forgotten.
    ///
    /// - Parameter isIdle: whether nobody waits for a commit.
    /// - Returns: whether one piece is to be forgotten now.
    package mutating func isNow(isIdle: Bool) -> Bool {
        batches += 1
        guard isIdle || batches > Self.patience else { return false }
        batches = 0
        return true
    }
}
