// SPDX-License-Identifier: Apache-2.0

/// The state of a transfer that has not ended, with what it waits for: what is counted. The names are those of the
/// reasons in `--json`.
package enum TransferStanding: String, Sendable, Hashable, CaseIterable {
    case queued
    case retry, earliestBegin, predecessor, credentials, account, appDecides, keeper, setAside, unreadable
    case running, saving
    case paused

    /// The transfer's state, for people.
    package var kind: TransferState.Kind {
        switch self {
        case .queued: .queued
        case .retry, .earliestBegin, .predecessor, .credentials, .account, .appDecides, .keeper, .setAside, .unreadable:
            .waiting
        case .running, .saving: .running
        case .paused: .paused
        }
    }
}

extension TransferState {
    /// What it is counted as; nil for a transfer that has ended.
    package var standing: TransferStanding? {
        switch self {
        case .queued: .queued
        case .waiting(let wait):
            switch wait.cause {
            case .retry: .retry
            case .earliestBegin: .earliestBegin
            case .predecessors: .predecessor
            case .credentials: .credentials
            case .account: .account
            case .delegate: .appDecides
            case .keeper: .keeper
            case .setAside: .setAside
            case .unreadable: .unreadable
            }
        case .running: .running
        case .saving: .saving
        case .paused: .paused
        case .finished: nil
        }
    }
}

/// What keeps transfers in line from beginning: what is counted. The names are those of the reasons in `--json`.
package enum LineStanding: String, Sendable, Hashable, CaseIterable {
    case inLine, hostLimit, totalLimit, network, held, suspected, storeTrouble
}
