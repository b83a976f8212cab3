// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension SQLiteStore {
    /// One page of the timeline, by the times at which spans ended. What waits to be written is written first: a person
    /// looks.
    package nonisolated(nonsending) func timeline(_ query: TimelineQuery) async throws(StoreError) -> TimelinePage {
        if query.after == nil, chronicle.hasWaiting {
            // If it cannot be written, there is still the rest to be seen.
            _ = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, StoreError>, Never>) in
                let request = StoreWriter.Request.commit([], continuation)
                if !writes.send(request) { request.fail(closed) }
            }
        }
        return try await look { (reader) throws(SQLiteError) in try reader.timeline(query) }
    }
}
