// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The events that a watching client receives, in order. Progress is coalesced to a few times a second.
package enum TransferEvent: Codable, Sendable, Equatable {
    /// A transfer is new, in another state, or waiting for something else.
    case changed(TransferRow)
    case progress([Progress])
    /// A transfer has ended; committed before this was sent.
    case finished(TransferRow)
    /// A transfer was forgotten or pruned.
    case removed(TransferID)

    package static let name = "transfer"

    package struct Progress: Codable, Sendable, Equatable {
        package var id: TransferID
        @Within<ByteCounts> package var bytesDone: Int64
        @WithinIfPresent<ByteCounts> package var bytesTotal: Int64?
        /// Bytes per second.
        package var rate: Double
        /// As in `TransferRow`.
        package var standing: String?
        package init(id: TransferID, bytesDone: Int64, bytesTotal: Int64?, rate: Double, standing: String? = nil) {
            self.id = id
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.rate = rate
            self.standing = standing
        }
    }
}
