// SPDX-License-Identifier: Apache-2.0

/// What the keeper of a transfer, or its absence, does to it.
package enum KeeperStep: Sendable, Equatable {
    /// The transfer's turn has come, but its keeper is not there.
    case absent
    /// It has not kept what the next request depends on: it is not there, or it has refused.
    case withheld(isRefused: Bool)
    /// It is there, or there again: a transfer that waits for that goes on.
    case attached

    /// - Returns: the actions to carry out; nil if it does not apply in the transfer's state.
    package func apply(to transfer: inout Transfer, now: Moment) -> [TransferAction]? {
        switch (self, transfer.state) {
        case (.absent, .queued) where transfer.spec.keeper != nil: return wait(&transfer, isRefused: false, now)
        case (.withheld(let isRefused), .running): return wait(&transfer, isRefused: isRefused, now)
        case (.attached, .waiting(let wait)):
            guard case .keeper = wait.cause else { return nil }
            return transfer.goOn(now: now)
        default: return nil
        }
    }

    private func wait(_ transfer: inout Transfer, isRefused: Bool, _ now: Moment) -> [TransferAction] {
        transfer.state = .waiting(.init(cause: .keeper(isRefused: isRefused), since: now.wall))
        return [.awaitKeeper]
    }
}
