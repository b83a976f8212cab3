// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// A transfer in memory: one that runs, is being changed, or was just handed over.
struct LiveTransfer {
    var transfer: Transfer
    /// The current attempt, from the opening of its file on.
    var run: AttemptRun?
    /// The number of this transfer's commits in progress. It stays in memory until there are no more, so that a read
    /// from the store is never older than a decision.
    var pendingCommits = 0
    /// The last commit that it was recorded for.
    var commit: Ledger<TransferChange>.Number = 0
    /// The state that is reported for an ended transfer until its end is durable.
    var stateUntilCommitted: TransferState?
    /// Whether the specification has changed since it was last given to the store.
    var isSpecChanged = false
    /// Whether the running attempt is in the store: short attempts never are.
    var isRunningStored = false
    /// Whether the partial file is about to get its second name; until then the first must not be deleted.
    var keepsPartialFile = false

    init(transfer: Transfer) { self.transfer = transfer }

    /// The transfer as it may be reported: an end only once it is committed.
    var visible: Transfer {
        stateUntilCommitted.map { transfer.shown(in: $0) } ?? transfer
    }

    /// Bytes that remain transferred if the current attempt is broken off: with a dialect, those its server has
    /// acknowledged.
    var kept: Int64 { run?.attempt.kept ?? transfer.bytesDone }
}
