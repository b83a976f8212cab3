// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageFiles

/// Why a received file could not be saved.
package struct SaveFailure: Error, Sendable, Equatable {
    /// The failure, for people and for the rule of the transfer.
    package var failure: TransferFailure
    /// Whether a sync of the file has failed. Another one would succeed although data is lost: Linux reports a
    /// writeback error once to each open file, and never to one that is opened later.
    package var isOfSync: Bool

    /// - Parameters:
    ///   - failure: the failure.
    ///   - isOfSync: whether a sync of the file has failed.
    package init(_ failure: TransferFailure, isOfSync: Bool = false) {
        self.failure = failure
        self.isOfSync = isOfSync
    }

    /// A failed sync.
    ///
    /// - Parameters:
    ///   - code: the errno of the sync.
    ///   - path: the target of the download.
    /// - Returns: the failure.
    static func ofSync(_ code: Int32, _ path: String) -> SaveFailure {
        SaveFailure(FileTrouble.ofTarget(code, path), isOfSync: true)
    }
}
