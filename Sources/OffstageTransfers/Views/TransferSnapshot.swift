// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A transfer in its current state: the stored record, with the details of a running attempt that are only in memory.
package struct TransferSnapshot: Sendable {
    package var transfer: Transfer
    package var reason: Reason
    package var bytesDone: Int64
    package var bytesTotal: Int64?
    /// Bytes a second.
    package var rate: Double
    /// The progress of an upload in a dialect, for display; nil if there is nothing to add.
    package var standing: String?
}

/// A notice from the queue to its observers; sent in order.
package enum TransferNotice: Sendable {
    case changed(TransferSnapshot)
    case progress([Progress])
    /// The transfer has been committed as finished.
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
