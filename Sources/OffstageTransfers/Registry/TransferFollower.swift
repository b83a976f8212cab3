// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Carries out decisions about transfers. Every call is on the loop.
protocol TransferFollower: AnyObject, Sendable {
    /// Carries out a rule's actions, in order.
    func perform(_ actions: [TransferAction], for transfer: Transfer)

    /// Called when a decision has changed a transfer, or has actions. It is not durable yet.
    func decided(_ transfer: Transfer, before: Transfer)

    /// Keeps the partial file of a download that ends: the commit of the end contains its name.
    func keepPartialFile(of id: TransferID) async

    /// Returns once no request of a transfer that ends is under way.
    func awaitRequests(of id: TransferID) async

    /// Called when a decision is durable.
    ///
    /// - Parameters:
    ///   - decided: the transfer after the decision.
    ///   - before: the transfer before the decision.
    ///   - actions: the rule's actions, except those that did not have to wait.
    func committed(_ decided: Transfer, before: Transfer, _ actions: [TransferAction])
}
