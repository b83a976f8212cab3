// SPDX-License-Identifier: Apache-2.0

/// An event for a row at its member.
package enum FleetRowEvent: Sendable, Equatable {
    /// Its turn has come: there is room at the daemon.
    case start
    /// The database has answered `begin`.
    case begun(Bool)
    /// The daemon has taken the transfer.
    case taken(TransferID)
    /// The daemon has not taken the transfer.
    case notTaken(FleetEnd)
    /// The daemon wants the dialect's memory kept, by its number, before it sends the next request; nil if there is none.
    case memory(number: Int, [UInt8]?, done: Int64)
    /// The database has answered `keep`.
    case kept(number: Int, Bool)
    /// The database cannot keep that memory, for any member.
    case unkeepable(number: Int, note: String)
    /// The transfer has ended.
    case ended(FleetEnd)
    /// The daemon has stopped the transfer, and no request of it is under way; the value is whether one may have been.
    case stopped(mayHaveArrived: Bool)
    /// There is a wish for the row.
    case want(FleetWish)
    /// The lease is in doubt.
    case halt
    /// The lease is valid again.
    case goOn
    /// The database reports that another member has the row.
    case lost
    /// The database has answered the report of the end.
    case reported(Bool)
    /// The database has confirmed the row's return.
    case returned
}
