// SPDX-License-Identifier: Apache-2.0

/// What is to be done for a row at its member.
package enum FleetRowAction: Sendable, Equatable {
    /// Tell the database that a request may be sent which must not be repeated, and report the answer with `begun`.
    case begin
    /// Hand the transfer to the daemon, with the memory that came with the row.
    case handOver
    /// Have the database keep a memory under the row's fence, or only look whether it counts, and report the answer with `kept`.
    case keep(number: Int, [UInt8]?, done: Int64)
    /// Tell the daemon that a memory is kept: it sends the request that depends on it.
    case confirm(TransferID, number: Int)
    case pause(TransferID)
    case resume(TransferID)
    /// Cancel the transfer; the server is told to forget what it has.
    case cancel(TransferID)
    /// Stop the transfer without a word to its server: another goes on in the same session there.
    case letGo(TransferID)
    case report(FleetEnd)
    case giveBack(FleetRow.Return)
    /// Have the daemon forget the transfer.
    case forget(TransferID)
    /// The row is no longer this member's business.
    case over
}
