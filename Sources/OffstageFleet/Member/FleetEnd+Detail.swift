// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

extension FleetEnd {
    /// How a transfer ended, from what its daemon shows of it; nil for one that has not.
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
            // Its owner takes every answer for the end: for a fleet a refusal is none.
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
    /// Whether a request may have reached the server. Of the attempt that was under way when the daemon let go of it nothing is on
    /// record.
    var mayHaveArrived: Bool {
        history.last?.number != row.attempts || history.lastThatMayHaveArrived != nil
    }
}
