// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// One thing that a session's delegate is to hear of, in its turn.
enum Delivery: Sendable {
    case progress(SessionEvent.Progress)
    case ended(TaskEnd)
    /// A task that ended without the daemon: it never had it, or could not take it in.
    case failed(task: Int, URLError)
    case question(TransferID, task: Int, DelegateQuestion)
    /// Everything that ended while the app was gone has been told.
    case finishedEvents
    /// Something else that is to happen on the delegate queue.
    case callback(@Sendable () -> Void)
    /// The last of all.
    case invalidated
}
