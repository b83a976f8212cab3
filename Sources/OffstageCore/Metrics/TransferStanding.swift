// SPDX-License-Identifier: Apache-2.0

/// The state of an unfinished transfer, with the reason for waiting, as it is counted. The names are the same as for
/// the reasons in `--json`.
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
    /// The standing that it is counted as; nil for a finished transfer.
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

/// The reason why transfers in line do not begin, as it is counted. The names are the same as for the reasons in
/// `--json`.
package enum LineStanding: String, Sendable, Hashable, CaseIterable {
    case inLine, hostLimit, totalLimit, network, held, suspected, storeTrouble
}
