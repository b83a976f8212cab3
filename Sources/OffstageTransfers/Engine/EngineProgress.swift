// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The progress of one request.
package struct EngineProgress: Sendable, Equatable {
    package var key: RequestKey
    package var id: TransferID { key.id }
    /// The position in the file, including the offset that a download began at.
    package var bytesDone: Int64
    /// The length of the whole file, if known.
    package var bytesTotal: Int64?

    package init(key: RequestKey, bytesDone: Int64, bytesTotal: Int64?) {
        self.key = key
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }
}
