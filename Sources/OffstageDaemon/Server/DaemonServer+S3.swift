// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageTransfers

/// Questions to S3 servers that belong to no transfer.
extension DaemonServer {
    func answer(
        to question: S3Inquiry.Question,
        _ asking: S3Asking,
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let keys = try asking.keys()
        let way = TokenRequest.Way(asking.proxy, certificateAuthorityPath: asking.certificateAuthorityPath)
        let given = await accounts.way(of: keys, way)
        return try await answer(to: S3Inquiry(question, at: asking.endpoint, keys: keys, by: given), connection)
    }

    /// The uploads on record, for a page of those that a bucket keeps open: read once for all its pages, since there may be
    /// a million transfers.
    ///
    /// - Parameters:
    ///   - request: asks for the page.
    ///   - isLast: whether no other page follows.
    ///   - connection: whose request it is.
    /// - Returns: the record.
    /// - Throws: `StoreError`.
    func uploadsOnRecord(
        for request: ListOpenUploads,
        isLast: Bool,
        _ connection: UInt64
    ) async throws(StoreError) -> S3UploadsOnRecord {
        let record: S3UploadsOnRecord
        if request.after != nil, let kept = openUploadRecords[connection], kept.bucket == request.bucket {
            record = await queue.withLiveUploads(kept.record)
        } else {
            record = try await queue.uploadsOnRecord(to: request.bucket)
        }
        let isKept = !isLast && connections[connection] != nil
        openUploadRecords[connection] = isKept ? (bucket: request.bucket, record: record) : nil
        return record
    }
}
