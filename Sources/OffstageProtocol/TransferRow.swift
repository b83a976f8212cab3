// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// What a list shows of a transfer: no secrets, whatever the URL and headers hold.
package struct TransferRow: Codable, Sendable, Equatable {
    package var id: TransferID
    package var isUpload: Bool
    /// `RequestURL.description`, or where an upload to an account goes: `dropbox:/Photos/a.jpg`.
    package var url: String
    /// The dialect that an upload is spoken in; nil for a plain one.
    package var dialect: String?
    /// Where an upload in a dialect stands, such as "committing it"; nil for nothing to add.
    package var standing: String?
    /// The file at this end; of a form the first, and empty when it has none.
    package var path: String
    /// What a form is made of; nil for a plain file.
    package var form: FormSummary?
    package var owner: String
    package var label: String?
    package var priority: Double
    package var kind: TransferState.Kind
    package var reason: Reason
    package var bytesDone: Int64
    package var bytesTotal: Int64?
    /// Bytes a second over the last moments of a running attempt; 0 otherwise.
    package var rate: Double
    package var attempts: Int
    package var createdAt: Date
    package var finishedAt: Date?
    /// The HTTP status of the answer that ended it.
    package var status: Int?

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
        status = transfer.outcome?.answer?.status
    }
}

/// What `show` prints of one transfer. Values of headers that may be secret are already replaced.
package struct TransferDetail: Codable, Sendable, Equatable {
    package var row: TransferRow
    package var method: String
    package var headers: [HeaderField]
    package var checksum: String?
    package var isSnapshot: Bool
    package var idleTimeout: Double
    package var overallTimeout: Double
    package var rateLimit: Int64?
    package var retries: Int
    package var history: [AttemptRecord]
    package var answerHeaders: [HeaderField]
    /// The beginning of an upload's response body, or of an error's.
    package var bodyStart: Base64Bytes
    /// Where what has arrived of a download is kept until it is whole.
    package var partialPath: String?
    /// The first fields and files of a form, in order: at most `mostFormParts`, so that many forms fit a frame.
    package var formParts: [FormPart]?

    /// What the owner of an upload in a dialect decided besides its place, such as "overwrite, autorename".
    package var options: String?

    package static let mostFormParts = 100

    package init(transfer: Transfer, row: TransferRow, partialPath: String?, options: String? = nil) {
        self.row = row
        method = transfer.spec.method
        headers = transfer.spec.headers.map(Self.shown)
        if case .download(let target) = transfer.spec.direction { checksum = target.checksum?.description }
        isSnapshot = transfer.spec.sources.contains(where: \.isSnapshot)
        idleTimeout = transfer.spec.idleTimeout
        overallTimeout = transfer.spec.overallTimeout
        rateLimit = transfer.spec.rateLimit
        retries = transfer.retries
        history = transfer.history
        let answer = transfer.outcome?.answer
        answerHeaders = (answer?.headers ?? []).map(Self.shown)
        bodyStart = Base64Bytes(bytes: answer?.bodyStart ?? [])
        self.partialPath = partialPath
        self.options = options
        if case .form(let form) = transfer.spec.direction {
            formParts = form.parts.prefix(Self.mostFormParts).map(FormPart.init)
        }
    }

    private static func shown(_ field: HeaderField) -> HeaderField {
        field.isSensitive ? HeaderField(name: field.name, value: "(hidden)") : field
    }
}
