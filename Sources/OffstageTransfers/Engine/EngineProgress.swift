// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far one request has got.
package struct EngineProgress: Sendable, Equatable {
    package var key: RequestKey
    package var id: TransferID { key.id }
    /// The position in the file, so the offset a download began at is included.
    package var bytesDone: Int64
    /// The length of the whole file, if it is known.
    package var bytesTotal: Int64?

    package init(key: RequestKey, bytesDone: Int64, bytesTotal: Int64?) {
        self.key = key
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }
}
