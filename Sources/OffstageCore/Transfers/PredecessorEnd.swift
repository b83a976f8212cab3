// SPDX-License-Identifier: Apache-2.0

/// How a transfer ended that others were to come after, other than well: they go on waiting, since a person may have it
/// tried again.
package enum PredecessorEnd: String, Sendable, Equatable, Codable {
    case failed, cancelled
    /// It is no longer on record.
    case forgotten

    /// As the end of "transfer 7 …".
    package var summary: String {
        switch self {
        case .failed: "has failed"
        case .cancelled: "was cancelled"
        case .forgotten: "is no longer on record"
        }
    }
}
