// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Uploads to S3: finds out which of the multipart uploads open in a bucket are in use.
extension TransferQueue {
    /// The uploads to a bucket that have not succeeded, been cancelled or been forgotten. A failed one also has parts
    /// there, from which a retry continues.
    package func uploadsOnRecord(to bucket: String) async throws(StoreError) -> S3UploadsOnRecord {
        var result = S3UploadsOnRecord()
        let place = S3Location(bucket: bucket, key: "").text
        // In this order, an upload that is retried in the meantime is not missed.
        for (kinds, results) in [
            ([.finished], [.failed]), ([.queued, .waiting, .running, .paused], nil),
        ] as [([TransferState.Kind], [TransferQuery.Result]?)] {
            var query = TransferQuery(kinds: kinds, results: results, text: place, limit: 256)
            while true {
                let page = try await page(query)
                for snapshot in page.snapshots { add(snapshot.transfer, to: &result) }
                guard page.hasMore, let last = page.snapshots.last?.transfer.id else { break }
                query.before = last
            }
        }
        return withLiveUploads(result)
    }

    /// An earlier record, updated with the transfers in memory, which include every running one.
    package func withLiveUploads(_ record: S3UploadsOnRecord) -> S3UploadsOnRecord {
        var result = record
        for entry in registry.live.values { add(entry.transfer, to: &result) }
        return result
    }

    private func add(_ transfer: Transfer, to record: inout S3UploadsOnRecord) {
        // A running attempt may know more than the store does.
        let dialect = registry[transfer.id]?.run?.attempt.dialect
        record.add(transfer, memory: dialect.map(\.memory) ?? transfer.dialectMemory)
    }
}
