// SPDX-License-Identifier: Apache-2.0

/// The store's deferred work. Calls may come from any thread, and only `forEachTask`, which is for the daemon's start,
/// blocks its caller.
package protocol TaskStore: Sendable {
    /// Makes the changes durable, all of them or none, and returns once they are. Concurrent calls share one commit.
    nonisolated(nonsending) func commit(tasks: [TaskChange]) async throws(StoreError)

    /// Reads every request that has not run, by number. A damaged row is left out, and reported in the store's notices.
    func forEachTask(_ body: (TaskRecord) -> Void) throws(StoreError)

    /// Whether the request that an app submitted with this nonce is pending or running.
    nonisolated(nonsending) func hasTask(
        app: String,
        identifier: String,
        nonce: UInt64
    ) async throws(StoreError) -> Bool

    /// The time that each app has used, as last stored. For the daemon's start; a damaged row is left out.
    func taskBudgets() throws(StoreError) -> [TaskBudgetUse]

    /// Apps' permissions to notify, and their notifications. For the daemon's start; a damaged row is left out.
    func notifications() throws(StoreError) -> (standings: [NotificationStanding], records: [NotificationRecord])

    /// One more than the greatest number ever used.
    func nextTaskNumber() throws(StoreError) -> UInt64

    /// The outcomes of requests, newest first; only for one app or identifier, if given.
    nonisolated(nonsending) func taskEntries(
        app: String?,
        identifier: String?,
        limit: Int
    ) async throws(StoreError) -> [TaskEntry]
}

/// One change of the store's deferred work.
package enum TaskChange: Sendable, Hashable {
    /// A new request, which replaces a pending one of the same app and identifier. The nonce distinguishes it from all
    /// of the app's other requests.
    case insert(TaskRequest, nonce: UInt64? = nil)
    /// Sets a request's phase. A request that returns to `pending` while a later one of its app and identifier is
    /// pending is deleted, because it has been replaced. No effect if there is no such number: the request was
    /// cancelled in the meantime.
    case setPhase(UInt64, TaskRecord.Phase, attempts: Int)
    /// It has run, or was cancelled.
    case delete(UInt64)
    /// Appends to the history, which keeps the last 20 entries of each identifier, and about 2000 of each app.
    case append(TaskEntry)
    /// The time that an app has used, replacing the former value.
    case setBudget(TaskBudgetUse)
    /// The app is forgotten, with all its data.
    case deleteApp(String)
    case notification(NotificationChange)
}
