// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The conditions of the machine that keep transfers from moving bytes, and those that are watched because of them.
struct MachineNeeds {
    /// What keeps a transfer with these needs from moving bytes to the host; nil for nothing.
    var hold: @Sendable (TransferNeeds, _ host: String) -> TransferHold? = { _, _ in nil }
    /// Has the machine watched for these needs.
    var wish: @Sendable (TransferNeeds) -> Void = { _ in }
    private var told: TransferNeeds = []

    /// Has the machine watched for the transfers' needs, and for nothing else.
    ///
    /// - Returns: whether it is watched for others from now on, and may hold others.
    mutating func update(_ needs: TransferNeeds) -> Bool {
        guard needs != told else { return false }
        told = needs
        wish(needs)
        return true
    }
}
