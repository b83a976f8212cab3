// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Why something cannot be done to a transfer.
package enum QueueError: Error, Sendable {
    case notFound(TransferID)
    /// One sentence.
    case notApplicable(String)
    /// The daemon stops, and the store does not take what was asked for.
    case stopping

    package var sentence: String {
        switch self {
        case .notFound(let id): "There is no transfer \(id): 'offstage list' shows those that exist."
        case .notApplicable(let sentence): sentence
        case .stopping: "The daemon is stopping: try again."
        }
    }
}
