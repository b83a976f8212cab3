// SPDX-License-Identifier: Apache-2.0

/// Transfers, as deferred work needs them and reports the machine's conditions to them. The queue conforms; calls on
/// the loop do not change threads.
package protocol WorkTransfers: Actor {
    /// Whether an attempt at any transfer is under way, or a file is being saved.
    var hasAttemptsUnderWay: Bool { get }
    /// Calls `report`, on the loop, whenever a transfer ends, until `stopObserving`.
    func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64
    func stopObserving(_ token: UInt64)
    /// Notifies the queue that links, addresses, routes or the machine's conditions have changed.
    func networkChanged()
    /// Sets the sources of the machine's conditions.
    ///
    /// - Parameters:
    ///   - hold: the condition that keeps a transfer with these needs from moving bytes to the host; nil for none.
    ///   - wish: makes the machine's conditions be watched for the combined needs of waiting and running transfers.
    func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    )
}
