// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension FleetStanding.State {
    /// The word for the state on command lines and in JSON.
    package var word: String {
        switch self {
        case .waiting: "waiting"
        case .leased: "leased"
        case .later: "later"
        case .paused: "paused"
        case .done: "done"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    package init?(word: String) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }

    /// Whether a row in this state has ended.
    package var isEnd: Bool {
        switch self {
        case .waiting, .leased, .later, .paused: false
        case .done, .failed, .cancelled, .unknown: true
        }
    }
}
