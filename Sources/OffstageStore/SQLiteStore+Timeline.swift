// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

extension SQLiteStore {
    /// One page of the timeline, by the times at which spans ended. Pending spans are written first, and a commit under
    /// way is waited for: the caller is a person.
    package nonisolated(nonsending) func timeline(_ query: TimelineQuery) async throws(StoreError) -> TimelinePage {
        let rounds = query.after == nil ? Chronicle.mostWaiting / Chronicle.mostAtOnce : 0
        for _ in 0..<rounds where chronicle.isAhead {
            // If writing fails, the earlier spans can still be shown.
            let written: Result<Void, StoreError> = await withCheckedContinuation { continuation in
                let request = StoreWriter.Request.commit([], continuation)
                if !writes.send(request) { request.fail(closed) }
            }
            guard case .success = written else { break }
        }
        return try await look { (reader) throws(SQLiteError) in try reader.timeline(query) }
    }
}
