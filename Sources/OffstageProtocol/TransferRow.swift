// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The summary of a transfer for lists: no secrets, whatever the URL and headers contain.
package struct TransferRow: Codable, Sendable, Equatable {
    package var id: TransferID
    package var isUpload: Bool
    /// `RequestURL.description`, or the destination of an upload to an account: `dropbox:/Photos/a.jpg`.
    package var url: String
    /// The dialect of an upload; nil for a plain one.
    package var dialect: String?
    /// The progress of an upload in a dialect, such as "committing it"; nil for none.
    package var standing: String?
    /// The local file; for a form its first file, and empty if it has none.
    package var path: String
    /// The content of a form; nil for a plain file.
    package var form: FormSummary?
    package var owner: String
    package var label: String?
    package var priority: Double
    package var kind: TransferState.Kind
    package var reason: Reason
    @Within<ByteCounts> package var bytesDone: Int64
    @WithinIfPresent<ByteCounts> package var bytesTotal: Int64?
    /// Bytes per second over the last moments of a running attempt; 0 otherwise.
    package var rate: Double
    package var attempts: Int
    package var createdAt: Date
    package var finishedAt: Date?
    /// The HTTP status of the response that ended it.
    package var status: Int?
    /// The row of a fleet that the transfer carries out; nil for none.
    package var keeper: TransferKeeper?

    package init(
        transfer: Transfer,
        reason: Reason,
        bytesDone: Int64,
        bytesTotal: Int64?,
        rate: Double,
        standing: String? = nil
    ) {
        id = transfer.id
        isUpload = transfer.spec.isUpload
        url = transfer.spec.destination
        dialect = transfer.spec.dialect?.name
        self.standing = standing
        path = transfer.spec.path
        form = FormSummary(transfer.spec)
        owner = transfer.spec.owner
        label = transfer.spec.label
        priority = transfer.spec.priority
        kind = transfer.state.kind
        self.reason = reason
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.rate = rate
        attempts = transfer.attempts
        createdAt = transfer.createdAt.wall
        if case .finished(_, let date) = transfer.state { finishedAt = date.wall }
        status = transfer.outcome?.status
        keeper = transfer.spec.keeper
    }
}

extension TransferRow {
    /// The approximate length of the row in a page, in bytes: its variable texts, and some for the other values.
    package var length: Int {
        let texts = [url, path, owner, label ?? "", standing ?? ""]
        return texts.reduce(512) { $0 + $1.utf8.count }  // checked: lengths of texts in memory
    }
}
