// SPDX-License-Identifier: Apache-2.0

/// What the queue tells, on the loop and in order, of transfers that are tasks of background sessions.
package enum SessionNotice: Sendable {
    /// How many tasks each session has that have not ended: at first those that the daemon before left, then new ones.
    /// Told before anything else of them.
    case taken([SessionName: Int])
    case progress([Progress])
    /// Committed as ended.
    case ended(Transfer)
    /// Only the app can decide; told again whenever the transfer is restored.
    case question(Transfer, DelegateQuestion)
    /// Committed: these sessions' delegates have heard of ends.
    case acknowledged(Set<SessionName>)

    package struct Progress: Sendable {
        package var owner: String
        package var key: SessionTaskKey
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        /// The byte the attempt began at.
        package var offset: Int64

        package init(owner: String, key: SessionTaskKey, bytesDone: Int64, bytesTotal: Int64?, offset: Int64) {
            self.owner = owner
            self.key = key
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.offset = offset
        }
    }
}
