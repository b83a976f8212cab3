// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Does what decisions about transfers ask for. Every call is on the loop.
protocol TransferFollower: AnyObject, Sendable {
    /// Does what a rule asked for, in order.
    func perform(_ actions: [TransferAction], for transfer: Transfer)

    /// A decision has changed a transfer, or asks for something. It is not durable yet.
    func decided(_ transfer: Transfer, before: Transfer)

    /// Keeps what has arrived of a download that ends: the commit of the end tells its name.
    func keepPartialFile(of id: TransferID) async

    /// A decision is durable.
    ///
    /// - Parameters:
    ///   - decided: the transfer as it was decided.
    ///   - before: the transfer as it was before.
    ///   - actions: what the rule asked for, except what did not have to wait.
    func committed(_ decided: Transfer, before: Transfer, _ actions: [TransferAction])
}
