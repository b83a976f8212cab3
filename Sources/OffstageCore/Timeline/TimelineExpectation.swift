// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A waiting transfer whose next check is at a known time.
package struct TimelineExpectation: Sendable, Hashable, Codable {
    package enum Cause: String, Sendable, Hashable, Codable {
        /// It is retried.
        case retry
        /// Its owner wants it to begin then.
        case beginDate
        /// A condition that it waits for is checked.
        case look
    }

    package var transfer: TransferID
    package var owner: String
    package var host: String
    package var isUpload: Bool
    /// The local file.
    package var path: String
    @Within<CalendarDates> package var date: Date
    package var cause: Cause

    package init(
        transfer: TransferID,
        owner: String,
        host: String,
        isUpload: Bool,
        path: String,
        date: Date,
        cause: Cause
    ) {
        self.transfer = transfer
        self.owner = owner
        self.host = host
        self.isUpload = isUpload
        self.path = path
        self.date = date
        self.cause = cause
    }
}
