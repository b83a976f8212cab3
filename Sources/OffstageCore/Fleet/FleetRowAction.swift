// SPDX-License-Identifier: Apache-2.0

/// An action for a row at its member.
package enum FleetRowAction: Sendable, Equatable {
    /// Notify the database that an unrepeatable request may be sent, and report the answer with `begun`.
    case begin
    /// Hand the transfer to the daemon, with the memory that came with the row.
    case handOver
    /// Have the database keep a memory under the row's fence, or only check that the fence counts, and report the
    /// answer with `kept`.
    case keep(number: Int, [UInt8]?, done: Int64)
    /// Notify the daemon that a memory is kept: it sends the request that depends on it.
    case confirm(TransferID, number: Int)
    case pause(TransferID)
    case resume(TransferID)
    /// Cancel the transfer, and have the server forget what it has.
    case cancel(TransferID)
    /// Stop the transfer without notifying its server: another member continues in the same session there.
    case letGo(TransferID)
    case report(FleetEnd)
    case giveBack(FleetRow.Return)
    /// Have the daemon forget the transfer.
    case forget(TransferID)
    /// This member is done with the row.
    case over
}
