// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A transfer as it is at this moment: the stored record with what only memory knows of a running attempt.
package struct TransferSnapshot: Sendable {
    package var transfer: Transfer
    package var reason: Reason
    package var bytesDone: Int64
    package var bytesTotal: Int64?
    /// Bytes a second.
    package var rate: Double
    /// Where an upload in a dialect stands, for people; nil for nothing to add.
    package var standing: String?
}

/// What the queue tells its observers, in order.
package enum TransferNotice: Sendable {
    case changed(TransferSnapshot)
    case progress([Progress])
    /// Committed as finished.
    case finished(TransferSnapshot)
    case removed(TransferID)

    package struct Progress: Sendable {
        package var id: TransferID
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        package var rate: Double
        package var standing: String?
    }
}
