// SPDX-License-Identifier: Apache-2.0

/// What deferred work needs of transfers, and tells them of the machine. The queue conforms; calls on the loop do not
/// change threads.
package protocol WorkTransfers: Actor {
    /// Whether any transfer is being attempted, or its file saved.
    var hasAttemptsUnderWay: Bool { get }
    /// Tells `report`, on the loop, each time that a transfer has ended, until `stopObserving`.
    func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64
    func stopObserving(_ token: UInt64)
    /// Links, addresses or routes have changed, or what transfers need of the machine.
    func networkChanged()
    /// Names who knows what the machine is like.
    ///
    /// - Parameters:
    ///   - hold: what of the machine keeps a transfer that needs this from moving bytes to the host; nil for nothing.
    ///   - wish: has the machine watched for what those in line and those that run need, all together.
    func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    )
}
