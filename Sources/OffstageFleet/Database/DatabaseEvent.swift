// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What has happened on a connection to the fleet's database.
package enum DatabaseEvent: Sendable, Equatable {
    /// A question was answered.
    case answered(Int, [FleetRecord])
    /// A question was refused; the connection is as good as before.
    case refused(Int, DatabaseError)
    /// The question was a COPY, and takes rows now: `DatabaseConnection.copy`.
    case copying(Int)
    /// Somebody has notified a channel that was listened to.
    case notified(channel: String, payload: String)
    /// The connection is lost. Of the questions that were not answered nobody knows whether they have been done.
    case lost(DatabaseError, unanswered: [Int])
}
