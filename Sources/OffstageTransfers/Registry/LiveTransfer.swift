// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A transfer that is in memory: one that runs, is being changed, or was just handed over.
struct LiveTransfer {
    var transfer: Transfer
    /// The attempt under way, from the opening of its file on.
    var run: AttemptRun?
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

    init(transfer: Transfer) { self.transfer = transfer }

    /// The transfer as it may be told: an end only once it is committed.
    var visible: Transfer {
        stateUntilCommitted.map { transfer.shown(in: $0) } ?? transfer
    }

    /// Bytes that stay across when the attempt under way is broken off: of a dialect what its server has acknowledged.
    var kept: Int64 { run?.attempt.kept ?? transfer.bytesDone }
}
