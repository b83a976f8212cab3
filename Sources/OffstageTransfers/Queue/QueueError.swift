// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Why an operation on a transfer fails.
package enum QueueError: Error, Sendable {
    case notFound(TransferID)
    /// The operation does not apply; the reason is one sentence.
    case notApplicable(String)
    /// The daemon is stopping, and the store does not accept the change.
    case stopping

    package var sentence: String {
        switch self {
        case .notFound(let id): "There is no transfer \(id): 'offstage list' shows those that exist."
        case .notApplicable(let sentence): sentence
        case .stopping: "The daemon is stopping: try again."
        }
    }
}
