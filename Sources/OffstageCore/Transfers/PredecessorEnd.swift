// SPDX-License-Identifier: Apache-2.0

/// How a transfer that others wait for failed: they keep waiting, because a person may retry it.
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
