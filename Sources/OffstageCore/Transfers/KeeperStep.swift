// SPDX-License-Identifier: Apache-2.0

/// The effect on a transfer of its keeper, or of the keeper's absence.
package enum KeeperStep: Sendable, Equatable {
    /// The transfer's turn has come, but its keeper is unavailable.
    case absent
    /// The keeper has not kept the state on which the next request depends: it is unavailable, or it has refused.
    case withheld(isRefused: Bool)
    /// The keeper is available, perhaps again: a transfer that waits for it continues.
    case attached

    /// - Returns: the actions to carry out; nil if the step does not apply in the transfer's state.
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
