// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An event on a connection to the fleet's database.
package enum DatabaseEvent: Sendable, Equatable {
    /// A question was answered.
    case answered(Int, [FleetRecord])
    /// A question was refused. The connection remains usable.
    case refused(Int, DatabaseError)
    /// The question was a COPY, and now accepts rows by `DatabaseConnection.copy`.
    case copying(Int)
    /// A notification on a channel that was listened to.
    case notified(channel: String, payload: String)
    /// The connection was lost. It is unknown whether the unanswered questions had any effect.
    case lost(DatabaseError, unanswered: [Int])
}
