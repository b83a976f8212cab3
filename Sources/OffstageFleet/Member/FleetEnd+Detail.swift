// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

extension FleetEnd {
    /// How a transfer ended, from the daemon's details; nil for a transfer that has not ended.
    init?(_ detail: TransferDetail) {
        guard detail.row.kind == .finished else { return nil }
        let status = detail.row.status.flatMap { StatusCodes.range.contains($0) ? Int16(exactly: $0) : nil }
        let moved =
            detail.receipt?.moved
            ?? detail.history.reduce(0) { sum, attempt in
                sum.addingClamped(max(0, attempt.toByte.subtractingClamped(attempt.fromByte)))
            }
        switch detail.row.reason.cause {
        case .completed(let status) where status >= 400:
            // For a transfer's owner, every answer is an end. For a fleet, a refusal is not.
            self.init(
                .failed,
                status: Int16(exactly: status),
                bytesSent: moved,
                detail: "the server answered \(status)"
            )
        case .completed, .leftOut: self.init(.done, status: status, bytesSent: moved)
        case .failed(let failure): self.init(.failed(failure, nil), bytesSent: moved)
        default: self.init(.cancelled, status: status, bytesSent: moved)
        }
        if self.status == nil { self.status = status }
    }
}

extension TransferDetail {
    /// Whether a request may have reached the server. The attempt that was under way when the daemon released the
    /// transfer is not on record.
    var mayHaveArrived: Bool {
        history.last?.number != row.attempts || history.lastThatMayHaveArrived != nil
    }
}
