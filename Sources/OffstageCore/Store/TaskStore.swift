// SPDX-License-Identifier: Apache-2.0

/// What the store knows of deferred work. Calls may come from any thread and none blocks its caller, but for
/// `forEachTask`, which is for the daemon's start.
package protocol TaskStore: Sendable {
    /// Makes the changes durable, all or none, and returns once they are. Concurrent calls share one commit.
    nonisolated(nonsending) func commit(tasks: [TaskChange]) async throws(StoreError)

    /// Reads every request that has not run, by number. A damaged row is left out, and told in the store's notices.
    func forEachTask(_ body: (TaskRecord) -> Void) throws(StoreError)

    /// Whether the request that an app submitted with this nonce is pending, or was begun and has not ended.
    nonisolated(nonsending) func hasTask(
        app: String,
        identifier: String,
        nonce: UInt64
    ) async throws(StoreError) -> Bool

    /// What each app has used of its time, as it was noted last. For the daemon's start; a damaged row is left out.
    func taskBudgets() throws(StoreError) -> [TaskBudgetUse]

    /// What apps may notify of, and their notifications. For the daemon's start; a damaged row is left out.
    func notifications() throws(StoreError) -> (standings: [NotificationStanding], records: [NotificationRecord])

    /// One greater than the greatest number that was ever given.
    func nextTaskNumber() throws(StoreError) -> UInt64

    /// What became of requests, newest first; of one app, or one identifier, when these are given.
    nonisolated(nonsending) func taskEntries(
        app: String?,
        identifier: String?,
        limit: Int
    ) async throws(StoreError) -> [TaskEntry]
}

/// One change of what the store knows of deferred work.
package enum TaskChange: Sendable, Hashable {
    /// A new request; one of the same app and identifier that is pending gives way. The nonce tells it from any other
    /// that the app has submitted.
    case insert(TaskRequest, nonce: UInt64? = nil)
    /// One that returns to `pending` while a later request of its app and identifier is pending is deleted: it has been
    /// replaced. Nothing for a number that is not there: the request was cancelled on its way.
    case setPhase(UInt64, TaskRecord.Phase, attempts: Int)
    /// It has run, or was cancelled.
    case delete(UInt64)
    /// Appends to the history, which keeps the last 20 of each identifier, and about 2000 of an app.
    case append(TaskEntry)
    /// What an app has used of its time, in the place of what was noted before.
    case setBudget(TaskBudgetUse)
    /// The app is forgotten, with everything of it.
    case deleteApp(String)
    case notification(NotificationChange)
}
