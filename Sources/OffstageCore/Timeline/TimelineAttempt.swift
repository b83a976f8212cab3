// SPDX-License-Identifier: Apache-2.0

/// One attempt at a transfer, without anything that names the file or reveals the data sent.
package struct TimelineAttempt: Sendable, Hashable {
    package var transfer: TransferID
    package var number: Int
    package var owner: String
    /// `RequestURL.hostKey`.
    package var host: String
    package var isUpload: Bool
    /// The bytes by which it advanced.
    package var bytes: Int64
    package var outcome: TimelineOutcome
    /// How it failed; nil for any other outcome.
    package var failure: TransferFailure.Code?

    package init(
        transfer: TransferID,
        number: Int,
        owner: String,
        host: String,
        isUpload: Bool,
        bytes: Int64,
        outcome: TimelineOutcome,
        failure: TransferFailure.Code? = nil
    ) {
        self.transfer = transfer
        self.number = number
        self.owner = owner
        self.host = host
        self.isUpload = isUpload
        self.bytes = bytes
        self.outcome = outcome
        self.failure = failure
    }

    /// The attempt of a running transfer.
    package init(of transfer: Transfer, _ attempt: TransferState.Attempt, _ outcome: TimelineOutcome) {
        self.init(
            transfer: transfer.id,
            number: attempt.number,
            owner: transfer.spec.owner,
            host: transfer.spec.url.hostKey,
            isUpload: transfer.spec.isUpload,
            bytes: max(0, transfer.bytesDone.subtractingClamped(attempt.offset)),
            outcome: outcome
        )
    }
}
