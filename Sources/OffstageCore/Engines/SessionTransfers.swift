// SPDX-License-Identifier: Apache-2.0

/// What background sessions need of transfers. The queue conforms; calls on the loop do not change threads.
///
/// Whatever writes returns false when the daemon stops before it is durable.
package protocol SessionTransfers: Actor {
    /// Takes a batch of a journal in with one commit.
    func takeIn(_ batch: HandOverBatch) async -> Bool
    /// Does what an app asks for some of its tasks, in order.
    func carryOut(_ commands: [(task: SessionTaskKey, command: TaskCommand)], for app: String) async -> Bool
    /// Does what an app asks for some of its transfers, in order.
    func carryOut(_ commands: [(id: TransferID, command: TaskCommand)], for app: String) async -> Bool
    /// Cancels every task of a session that has not ended.
    func cancelAll(_ session: String, of app: String) async -> Bool
    /// Cancels every task of an app that has not ended, because the person quit the app; returns how many.
    func cancelAllForQuit(_ app: String) async -> Int
    /// Makes journal changes durable.
    func commit(_ change: TransferChange) async -> Bool
    /// What the apps of these transfers are to be asked; nothing of a transfer that does not wait for its app any more.
    func questions(of ids: [TransferID]) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)]
    /// How far those are that are in memory.
    func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)]
    /// Deletes snapshots that no transfer knows: their owner died before it handed them over.
    func sweepSnapshots() async
    /// Deletes those of the named files in a folder that no transfer of these kinds knows; `nil` for any kind.
    func deleteUnclaimed(_ names: [String], in folder: String, prefix: String, kinds: [TransferState.Kind]?) async
    /// Deletes those of the named files that are responses to transfers which are not there any more, or whose app has
    /// been told.
    func deleteUnclaimedResponses(_ names: [String], in folder: String) async
}
