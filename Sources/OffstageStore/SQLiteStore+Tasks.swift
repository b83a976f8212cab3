// SPDX-License-Identifier: Apache-2.0
import CSQLite
package import OffstageCore

extension SQLiteStore: TaskStore {
    package nonisolated(nonsending) func commit(tasks changes: [TaskChange]) async throws(StoreError) {
        if changes.isEmpty { return }
        try await withCheckedContinuation { continuation in
            let request = StoreWriter.Request.commitTasks(changes, continuation)
            if !writes.send(request) { request.fail(closed) }
        }.get()
    }

    /// Reading a hundred thousand takes a fraction of a second.
    package func forEachTask(_ body: (TaskRecord) -> Void) throws(StoreError) {
        var useless = 0
        try withConnection { (connection) throws(SQLiteError) in
            let rows = try connection.prepare("SELECT \(TaskScan.columns) FROM tasks WHERE number > ?1 ORDER BY number")
            defer { rows.finalize() }
            var scan = TaskScan()
            var last = Int64.min
            while true {
                rows.reset()
                rows.bind(1, last)
                do throws(SQLiteError) {
                    while try rows.step() {
                        last = rows.integer(0)
                        if let record = scan.record(from: rows) { body(record) } else { useless += 1 }
                    }
                    return
                } catch {
                    // A value is too long to be ours: the row is skipped.
                    guard error.code == SQLITE_TOOBIG,
                        let next = try connection.integer(
                            "SELECT number FROM tasks WHERE number > \(last) ORDER BY number LIMIT 1"
                        )
                    else { throw error }
                    last = next
                    useless += 1
                }
            }
        }
        guard useless > 0 else { return }
        health.add(
            useless == 1
                ? "A request for deferred work in the store \(path) makes no sense and is left out: "
                    + "its app has to submit it again."
                : "\(useless) requests for deferred work in the store \(path) make no sense and are left out: "
                    + "their apps have to submit them again."
        )
    }

    package nonisolated(nonsending) func hasTask(
        app: String,
        identifier: String,
        nonce: UInt64
    ) async throws(StoreError) -> Bool {
        try await look { (reader) throws(SQLiteError) in
            try reader.hasTask(app: app, identifier: identifier, nonce: nonce)
        }
    }

    package func taskBudgets() throws(StoreError) -> [TaskBudgetUse] {
        try withConnection { (connection) throws(SQLiteError) in
            let rows = try connection.prepare("\(TaskScan.budgets) ORDER BY app")
            defer { rows.finalize() }
            var uses: [TaskBudgetUse] = []
            while try rows.step() {
                if let use = TaskScan.budget(from: rows) { uses.append(use) }
            }
            return uses
        }
    }

    package func notifications() throws(StoreError) -> (
        standings: [NotificationStanding], records: [NotificationRecord]
    ) {
        try withConnection { (connection) throws(SQLiteError) in
            let decoder = ForeignJSON.storeDecoder()
            var standings: [NotificationStanding] = []
            let first = try connection.prepare(NotificationScan.standings)
            defer { first.finalize() }
            while try first.step() { NotificationScan.standing(from: first, decoder).map { standings.append($0) } }
            var records: [NotificationRecord] = []
            let second = try connection.prepare(NotificationScan.records)
            defer { second.finalize() }
            while try second.step() { NotificationScan.record(from: second, decoder).map { records.append($0) } }
            return (standings, records)
        }
    }

    package func nextTaskNumber() throws(StoreError) -> UInt64 {
        try withConnection { (connection) throws(SQLiteError) in
            let greatest = TransferID.greatest
            let given = try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = 'tasks'") ?? 0
            let seen = try connection.integer("SELECT MAX(number) FROM tasks WHERE number <= \(greatest)") ?? 0
            return UInt64(clamping: max(given <= greatest ? given : 0, seen)) + 1
        }
    }

    package nonisolated(nonsending) func taskEntries(
        app: String?,
        identifier: String?,
        limit: Int
    ) async throws(StoreError) -> [TaskEntry] {
        try await look { (reader) throws(SQLiteError) in
            try reader.taskEntries(app: app, identifier: identifier, limit: limit)
        }
    }
}
