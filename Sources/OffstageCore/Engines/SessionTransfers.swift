// SPDX-License-Identifier: Apache-2.0

/// Transfers, as background sessions need them. The queue conforms; calls on the loop do not change threads.
///
/// A function that writes returns false if the daemon stops before the change is durable.
package protocol SessionTransfers: Actor {
    /// Accepts a batch of a journal with one commit.
    ///
    /// - Returns: the tasks that the store refuses for good; nil if the daemon stops before the others are durable.
    func accept(_ batch: HandOverBatch) async -> [RefusedSessionTask]?
    /// Carries out an app's commands for some of its tasks, in order.
    func carryOut(_ commands: [(task: SessionTaskKey, command: SessionTaskCommand)], for app: String) async -> Bool
    /// Carries out an app's commands for some of its transfers, in order.
    func carryOut(_ commands: [(id: TransferID, command: SessionTaskCommand)], for app: String) async -> Bool
    /// Cancels every task of a session that has not ended.
    func cancelAll(_ session: String, of app: String) async -> Bool
    /// Cancels every task of an app that has not ended, because a person quit the app; returns their number.
    func cancelAllForQuit(_ app: String) async -> Int
    /// Makes a change of journals or sessions durable.
    func commit(_ change: TransferChange) async -> CommitOutcome
    /// The questions of these transfers for their apps; transfers that no longer wait for their app are left out.
    func questions(of ids: [TransferID]) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)]
    /// The progress of those transfers that are in memory.
    func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)]
    /// Deletes snapshots without a transfer: the owner died before handing it over.
    func sweepSnapshots() async
    /// Deletes the named files in a folder that no transfer of these kinds uses; `nil` for any kind.
    func deleteUnclaimed(_ names: [String], in folder: String, prefix: String, kinds: [TransferState.Kind]?) async
    /// Deletes the named files that are responses to transfers that no longer exist, or whose end the app has received.
    func deleteUnclaimedResponses(_ names: [String], in folder: String) async
}
