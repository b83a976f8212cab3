// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far one attempt has got.
package struct EngineProgress: Sendable, Equatable {
    package var id: TransferID
    package var attempt: Int
    /// The position in the file, so the offset a download began at is included.
    package var bytesDone: Int64
    /// The length of the whole file, if it is known.
    package var bytesTotal: Int64?

    package init(id: TransferID, attempt: Int, bytesDone: Int64, bytesTotal: Int64?) {
        self.id = id
        self.attempt = attempt
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }
}
