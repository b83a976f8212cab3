// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The machine's conditions that keep transfers from moving bytes, and the needs for which it is watched.
struct MachineNeeds {
    /// The condition that keeps a transfer with these needs from moving bytes to the host; nil for none.
    var hold: @Sendable (TransferNeeds, _ host: String) -> TransferHold? = { _, _ in nil }
    /// Starts watching the machine for these needs.
    var wish: @Sendable (TransferNeeds) -> Void = { _ in }
    private var told: TransferNeeds = []

    /// Watches the machine for the transfers' needs, and for nothing else.
    ///
    /// - Returns: whether the watched needs have changed, and with them possibly the held transfers.
    mutating func update(_ needs: TransferNeeds) -> Bool {
        guard needs != told else { return false }
        told = needs
        wish(needs)
        return true
    }
}
