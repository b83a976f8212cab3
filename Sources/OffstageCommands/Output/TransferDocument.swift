// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// A transfer in `--json` output (docs/json.md): a stable form, independent of the wire's.
package struct TransferDocument: Encodable, Sendable {
    package struct ReasonDocument: Encodable, Sendable {
        package let code: String
        package let summary: String
        /// Nil for a complete transfer.
        package let advice: String?
        package let since: Date
        package let nextLook: Date?
        /// `TransferFailure.Code`, for `retry` and `failed`.
        package let failure: String?
        /// `TransferHold`, for `held`.
        package let hold: String?
    }

    /// The size of a form.
    package struct FormDocument: Encodable, Sendable {
        package let files: Int
        package let fields: Int
    }

    package let id: Int64
    package let direction: String
    package let url: String
    /// Left out for a plain request.
    package let dialect: String?
    /// Left out if there is nothing to add.
    package let standing: String?
    /// Left out for a form without files.
    package let path: String?
    package let form: FormDocument?
    package let owner: String
    package let label: String?
    package let priority: Double
    package let state: String
    /// How a finished transfer ended: `completed`, `failed` or `cancelled`.
    package let result: String?
    package let reason: ReasonDocument
    package let bytesDone: Int64
    package let bytesTotal: Int64?
    package let rate: Double
    package let attempts: Int
    package let createdAt: Date
    package let finishedAt: Date?
    package let status: Int?

    package init(_ row: TransferRow) {
        id = row.id.rawValue
        direction = row.isUpload ? "upload" : "download"
        url = row.url
        dialect = row.dialect
        standing = row.standing
        path = row.path.isEmpty ? nil : row.path
        form = row.form.map { FormDocument(files: $0.files, fields: $0.fields) }
        owner = row.owner
        label = row.label
        priority = row.priority
        state = row.kind.rawValue
        result = row.result?.rawValue
        reason = ReasonDocument(
            code: row.reason.code,
            summary: row.reason.summary,
            advice: row.advice.isEmpty ? nil : row.advice,
            since: row.reason.since,
            nextLook: row.reason.nextLook,
            failure: row.reason.failure?.code.rawValue,
            hold: row.reason.hold?.rawValue
        )
        bytesDone = row.bytesDone
        bytesTotal = row.bytesTotal
        rate = row.rate
        attempts = row.attempts
        createdAt = row.createdAt
        finishedAt = row.finishedAt
        status = row.status
    }
}

extension Reason {
    /// The cause's name in JSON.
    package var code: String {
        switch cause {
        case .running: "running"
        case .saving: "saving"
        case .inLine: "inLine"
        case .hostLimit: "hostLimit"
        case .totalLimit: "totalLimit"
        case .network: "network"
        case .held, .heldByFleet: "held"
        case .fleetLimit: "totalLimit"
        case .keeper: "keeper"
        case .retry: "retry"
        case .earliestBegin: "earliestBegin"
        case .predecessor: "predecessor"
        case .credentials: "credentials"
        case .account: "account"
        case .appDecides: "appDecides"
        case .paused: "paused"
        case .suspected: "suspected"
        case .setAside, .unreadable: "setAside"
        case .storeTrouble: "storeTrouble"
        case .fileSystem: "fileSystem"
        case .completed: "completed"
        case .leftOut: "leftOut"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .released: "released"
        }
    }

    /// What went wrong, if the cause is a failure.
    package var failure: TransferFailure? {
        switch cause {
        case .retry(let failure, _), .account(let failure), .failed(let failure): failure
        default: nil
        }
    }

    /// What the transfer waits for on the machine, if that is the cause.
    package var hold: TransferHold? {
        switch cause {
        case .held(let hold): hold
        case .heldByFleet: .fleet
        default: nil
        }
    }
}

extension TransferRow {
    /// What the user could do about it.
    package var advice: String { reason.advice(for: id, isSessionTask: owner != AppIdentity.command) }

    /// How it ended; nil if it has not ended.
    package var result: TransferQuery.Result? {
        guard kind == .finished else { return nil }
        switch reason.cause {
        case .completed, .leftOut: return .completed
        case .cancelled, .released: return .cancelled
        default: return .failed
        }
    }

    /// The last part of the path, for a narrow column; for a form, its contents: `a.jpg, 2 more files, 1 field`.
    package var fileName: String {
        let name = SnapshotName.original(path) ?? path.pathParts.last ?? path
        guard let form else { return name }
        var parts = form.files > 0 ? [name] : []
        if form.files > 1 { parts.append(Format.count(form.files - 1, "more file")) }
        if form.fields > 0 { parts.append(Format.count(form.fields, "field")) }
        return parts.joined(separator: ", ")
    }
}
