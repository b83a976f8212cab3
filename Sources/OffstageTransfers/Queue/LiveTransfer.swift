// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A transfer that is in memory: one that runs, is being changed, or was just handed over.
struct LiveTransfer {
    var transfer: Transfer
    /// The file of the attempt under way or of the save.
    var file: AttemptFiles.Opened?
    var meter = RateMeter()
    /// Commits of this transfer that are under way; it stays in memory until there are none, so that a read from
    /// the store is never older than what was decided.
    var pendingCommits = 0
    /// What is told of a transfer that has ended until its end is durable.
    var stateUntilCommitted: TransferState?
    /// Whether the specification has changed since it was last handed to the store.
    var isSpecChanged = false
    /// Whether the running attempt is in the store: short ones never are.
    var isRunningStored = false
    /// Whether the partial file is about to get its second name, without which the first must not go.
    var keepsPartialFile = false
    /// Grows with every start, so that a file that was opened for an earlier one is recognised.
    var startCount = 0
    /// The byte up to which a sync was asked for.
    var syncAskedAt: Int64 = 0
    var usesLargeBuffers = false
    /// Whether the engine has a request of the attempt, and will say when it is over.
    var isInEngine = false
    /// How the attempt under way is spoken to the server; nil for a download.
    var dialect: DialectRun?

    /// The transfer as it may be told: an end only once it is committed.
    var visible: Transfer {
        guard let stateUntilCommitted else { return transfer }
        var visible = transfer
        visible.state = stateUntilCommitted
        return visible
    }
}
