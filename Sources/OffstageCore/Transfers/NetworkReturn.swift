// SPDX-License-Identifier: Apache-2.0

/// The return of the route to the server of a transfer that waits for a retry: the transfer continues at once.
///
/// Unlike with `Transfer.retry`, no person has asked for this: everything counted against the server still counts.
package struct NetworkReturn: Sendable {
    package init() {}

    /// - Returns: the actions to carry out; nil if the transfer waits for something else, or not at all.
    package func apply(to transfer: inout Transfer, now: Moment) -> [TransferAction]? {
        guard case .waiting(let wait) = transfer.state, case .retry = wait.cause else { return nil }
        return transfer.goOn(now: now)
    }
}
