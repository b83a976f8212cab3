// SPDX-License-Identifier: Apache-2.0

/// The queue's notices about transfers that are tasks of background sessions, on the loop and in order.
package enum SessionNotice: Sendable {
    /// The number of unfinished tasks of each session: first the tasks that the previous daemon left, then new ones.
    /// Sent before any other notice about them.
    case taken([SessionName: Int])
    case progress([Progress])
    /// Committed as ended.
    case ended(Transfer)
    /// Only the app can decide; sent again whenever the transfer is restored.
    case question(Transfer, DelegateQuestion)
    /// Committed: the delegates of these sessions have received ends.
    case acknowledged(Set<SessionName>)

    package struct Progress: Sendable {
        package var owner: String
        package var key: SessionTaskKey
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        /// The byte the attempt began at.
        package var offset: Int64
        /// The fields of an interim response (104) that has just arrived; nil if there is none.
        package var heard: [HeaderField]?

        package init(owner: String, key: SessionTaskKey, bytesDone: Int64, bytesTotal: Int64?, offset: Int64) {
            self.owner = owner
            self.key = key
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.offset = offset
        }
    }
}
