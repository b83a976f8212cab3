// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What the queue tells, on the loop and in order, of transfers that are tasks of background sessions.
package enum SessionNotice: Sendable {
    case progress([Progress])
    /// Committed as ended.
    case ended(Transfer)
    /// Only the app can decide; told again whenever the transfer is restored.
    case question(Transfer, DelegateQuestion)

    package struct Progress: Sendable {
        package var owner: String
        package var key: SessionTaskKey
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        /// The byte the attempt began at.
        package var offset: Int64
    }
}
