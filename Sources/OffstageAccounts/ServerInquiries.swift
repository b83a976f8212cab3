// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
package import OffstageTransfers

/// Queries to servers, and requests about accounts. Each may wait for a service on a separate thread, so their number
/// is limited, for each process and in total.
///
/// Belongs to the server actor; every call is on the loop.
package final class ServerInquiries {
    /// The process at the other end of a connection; nil if that has ended.
    package typealias Peer = (_ connection: UInt64) -> Int32?

    private let peer: Peer
    private let turns: AccountTurns
    private let queue: TransferQueue
    private let accounts: AccountCenter
    /// Provides tokens and keys.
    private let token: TransferQueue.Environment.TokenSource
    /// The uploads on record for a bucket whose open uploads a connection lists, page by page.
    private var openUploadRecords: [UInt64: (bucket: String, record: S3UploadsOnRecord)] = [:]

    /// - Parameters:
    ///   - queue: knows the uploads on record.
    ///   - accounts: sends the queries, and manages the accounts.
    ///   - token: provides tokens and keys.
    ///   - turns: limits how many wait at the same time.
    ///   - peer: identifies the process of a connection.
    package init(
        _ queue: TransferQueue,
        _ accounts: AccountCenter,
        token: @escaping TransferQueue.Environment.TokenSource,
        turns: AccountTurns,
        peer: @escaping Peer
    ) {
        self.queue = queue
        self.accounts = accounts
        self.token = token
        self.turns = turns
        self.peer = peer
    }

    /// Performs work on accounts that may wait for their service.
    ///
    /// - Parameters:
    ///   - connection: the connection whose turn it uses.
    ///   - body: the work.
    /// - Returns: the result of `body`.
    /// - Throws: `WireFailure` if too many of the process's requests are already waiting, and the errors of `body`.
    package func inTurn<Reply>(
        _ connection: UInt64,
        _ body: (AccountCenter) async throws -> Reply
    ) async throws -> Reply {
        let process = peer(connection) ?? 0
        try await turns.enter(process)
        defer { turns.leave(process) }
        return try await body(accounts)
    }

    /// Sends a query to a server.
    ///
    /// - Parameters:
    ///   - inquiry: the query.
    ///   - redactor: the secrets that the server may repeat.
    ///   - connection: the connection whose turn it uses.
    /// - Returns: the answer.
    /// - Throws: `WireFailure`, with the reason why there is no answer.
    private func answer(
        to inquiry: any ServerInquiry,
        hiding redactor: SecretRedactor = SecretRedactor(),
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let (token, owner) = (token, inquiry.tokenOwner)
        let answer = try await inTurn(connection) { accounts in
            await accounts.ask(inquiry, token: { await token($0, $1, $2, owner) })
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure):
            let detail = failure.withoutSecrets(of: redactor).detail
            throw WireFailure(.notApplicable, "Asking the server failed: \(detail).")
        }
    }

    /// The current copy of a completed transfer's file at its server.
    ///
    /// - Parameters:
    ///   - transfer: a transfer with a receipt.
    ///   - connection: the connection whose turn it uses.
    /// - Returns: the object; nil if there is none.
    /// - Throws: `WireFailure`, with the reason why it is unknown.
    package func object(of transfer: Transfer, _ connection: UInt64) async throws -> StoredObject? {
        guard TransferReceipt(of: transfer) != nil else {
            throw WireFailure(.notApplicable, "Transfer \(transfer.id) has no transferred file to check yet.")
        }
        let inquiry: any ServerInquiry
        do throws(StoredObjectInquiry.Refusal) {
            inquiry = try StoredObjectInquiry.about(transfer)
        } catch {
            throw WireFailure(.notApplicable, error.sentence)
        }
        let answer = try await answer(to: inquiry, hiding: transfer.spec.secretRedactor, connection)
        return StoredObject(answer, of: transfer)
    }

    // MARK: S3

    /// Sends an S3 server a query that belongs to no transfer.
    ///
    /// - Parameters:
    ///   - question: the query.
    ///   - asking: the server, and the keys.
    ///   - connection: the connection whose turn it uses.
    /// - Returns: the answer.
    /// - Throws: `WireFailure`, with the reason why there is no answer, and `RequestError`.
    package func answer(
        to question: S3Inquiry.Question,
        _ asking: S3Asking,
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let keys = try asking.keys()
        let way = TokenRequest.Way(asking.proxy, certificateAuthorityPath: asking.certificateAuthorityPath)
        let given = await accounts.way(of: keys, way)
        return try await answer(to: S3Inquiry(question, at: asking.endpoint, keys: keys, by: given), connection)
    }

    /// The uploads on record, for a page of a bucket's open uploads. Read once for all its pages, since there may be a
    /// million transfers.
    ///
    /// - Parameters:
    ///   - request: the request for the page.
    ///   - isLast: whether no other page follows.
    ///   - connection: the connection of the request.
    /// - Returns: the record.
    /// - Throws: `StoreError`.
    package func uploadsOnRecord(
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
        let isKept = !isLast && peer(connection) != nil
        openUploadRecords[connection] = isKept ? (bucket: request.bucket, record: record) : nil
        return record
    }

    /// Forgets the records of a connection that has ended and needs no further page.
    package func connectionEnded(_ connection: UInt64) { openUploadRecords[connection] = nil }
}
