// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension SQLiteStore {
    package nonisolated(nonsending) func session(
        _ identifier: String,
        of owner: String
    ) async throws(StoreError) -> SessionStanding {
        try await look { (reader) throws(SQLiteError) in try reader.session(identifier, of: owner) }
    }

    package nonisolated(nonsending) func sessionTasks(
        _ identifier: String,
        of owner: String,
        after task: Int,
        limit: Int
    ) async throws(StoreError) -> [StoredSessionTask] {
        try await look { (reader) throws(SQLiteError) in
            try reader.sessionTasks(identifier, of: owner, after: task, limit: limit)
        }
    }

    package nonisolated(nonsending) func pendingEnds(
        _ identifier: String,
        of owner: String,
        after id: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [PendingEnd] {
        try await look { (reader) throws(SQLiteError) in
            try reader.pendingEnds(identifier, of: owner, after: id, limit: limit)
        }
    }

    package nonisolated(nonsending) func untold(_ ids: [TransferID]) async throws(StoreError) -> Set<TransferID> {
        if ids.isEmpty { return [] }
        return try await look { (reader) throws(SQLiteError) in try reader.untold(ids) }
    }

    package nonisolated(nonsending) func transferIDs(
        of keys: [SessionTaskKey],
        owner: String
    ) async throws(StoreError) -> [TransferID?] {
        if keys.isEmpty { return [] }
        return try await look { (reader) throws(SQLiteError) in try reader.transferIDs(of: keys, owner: owner) }
    }

    package nonisolated(nonsending) func transferIDs(
        of keys: [SubmissionKey]
    ) async throws(StoreError) -> [TransferID?] {
        if keys.isEmpty { return [] }
        return try await look { (reader) throws(SQLiteError) in try reader.transferIDs(of: keys) }
    }

    package nonisolated(nonsending) func journals() async throws(StoreError) -> [StoredJournal] {
        try await look { (reader) throws(SQLiteError) in try reader.journals() }
    }

    /// Reads something on the reader's thread.
    nonisolated(nonsending) func look<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(SQLiteError) -> Value
    ) async throws(StoreError) -> Value {
        try await withCheckedContinuation { continuation in
            let look = StoreReader.Look(continuation, body)
            if !reads.send(.look(look)) { look.fail(closed) }
        }.get()
    }
}
