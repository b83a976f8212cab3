// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
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
    /// The number of decisions about it since it was loaded into memory.
    private(set) var decisions = 0
    /// The end that is not durable yet.
    private var pendingEnd: PendingEnd?
    /// The commit of the last decision, while any is under way.
    private(set) var lastCommit: Task<Bool, Never>?
    /// Whether the specification has changed since it was last given to the store.
    var isSpecChanged = false
    /// Whether the running attempt is in the store: short attempts never are.
    var isRunningStored = false
    /// The sync of the partial file that is under way, or the last one if it failed; its result is the failure.
    var checkpoint: Task<TransferFailure?, Never>?
    /// Whether that sync is under way. The transfer stays in memory until it is over: the file's contents depend on it.
    var isSyncing = false
    /// Set while the transfer is known to wait for an unresponsive file system.
    var stall: FileSystemStall?
    /// Whether the partial file is about to get its second name; until then the first must not be deleted.
    var keepsPartialFile = false

    init(transfer: Transfer) { self.transfer = transfer }

    /// An end on its way into the store.
    private struct PendingEnd {
        /// The state that is reported until then.
        let before: TransferState
        /// The number of the decision that ended the transfer.
        let decision: Int
    }

    /// The transfer as it may be reported: an end only once it is committed.
    var visible: Transfer {
        pendingEnd.map { transfer.shown(in: $0.before) } ?? transfer
    }

    /// Records the changes of a decision.
    mutating func decided(before: Transfer) {
        decisions += 1
        if !transfer.isFinished {
            pendingEnd = nil
        } else if !before.isFinished {
            pendingEnd = PendingEnd(before: before.state, decision: decisions)
        }
        if transfer.spec != before.spec || before.isUnreadable { isSpecChanged = true }
    }

    /// Records that a decision is on its way into the store.
    mutating func commits(_ commit: Task<Bool, Never>) { lastCommit = commit }

    /// Records that a decision is durable, with all before it, but not those after it.
    mutating func committed(_ decision: Int) {
        if let end = pendingEnd, end.decision <= decision { pendingEnd = nil }
        if pendingCommits == 0 { lastCommit = nil }
    }

    /// Bytes that remain transferred if the current attempt is broken off: with a dialect, those its server has
    /// acknowledged.
    var kept: Int64 { run?.attempt.kept ?? transfer.bytesDone }
}
