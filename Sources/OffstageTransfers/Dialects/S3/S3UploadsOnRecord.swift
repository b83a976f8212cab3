// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Which of Offstage's transfers use the multipart uploads that are open in a bucket.
package struct S3UploadsOnRecord: Sendable {
    package enum Use: Sendable, Equatable {
        /// The transfer continues it, or would when it is retried.
        case by(TransferID)
        /// The transfer is for the same object, and has not yet recorded which upload is its own.
        case perhapsBy(TransferID)
    }

    private var uses: [String: TransferID] = [:]
    private var undecided: [S3Location: TransferID] = [:]

    package init() {}

    /// Adds a transfer with its dialect's memory; ignores any transfer except an upload to S3.
    package mutating func add(_ transfer: Transfer, memory: [UInt8]?) {
        guard case .upload(let source) = transfer.spec.direction, transfer.spec.dialect?.name == S3Parameters.dialect,
            transfer.outcome.map({ !$0.isSuccess && !$0.isCancelled }) ?? true,
            let object = transfer.spec.dialect.flatMap({ try? S3Object($0) })
        else { return }
        if let upload = S3Memory(memory, source: source.identity)?.upload {
            uses[upload.id] = transfer.id
            if undecided[object.location] == transfer.id { undecided[object.location] = nil }
        } else if transfer.outcome == nil {
            undecided[object.location] = transfer.id
        }
    }

    /// The transfer that uses an upload; nil if there is none.
    package func use(of upload: String, at location: S3Location) -> Use? {
        if let id = uses[upload] { return .by(id) }
        return undecided[location].map { .perhapsBy($0) }
    }
}
