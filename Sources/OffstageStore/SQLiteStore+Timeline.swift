// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

extension SQLiteStore {
    /// One page of the timeline, by the times at which spans ended. What waits to be written is written first, and a
    /// commit under way is waited for: a person looks.
    package nonisolated(nonsending) func timeline(_ query: TimelineQuery) async throws(StoreError) -> TimelinePage {
        let rounds = query.after == nil ? Chronicle.mostWaiting / Chronicle.mostAtOnce : 0
        for _ in 0..<rounds where chronicle.isAhead {
            // If it cannot be written, there is still the rest to be seen.
            let written: Result<Void, StoreError> = await withCheckedContinuation { continuation in
                let request = StoreWriter.Request.commit([], continuation)
                if !writes.send(request) { request.fail(closed) }
            }
            guard case .success = written else { break }
        }
        return try await look { (reader) throws(SQLiteError) in try reader.timeline(query) }
    }
}
