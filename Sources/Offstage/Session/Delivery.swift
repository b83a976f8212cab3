// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// Something to deliver to a session's delegate, in order.
enum Delivery: Sendable {
    case progress(SessionEvent.Progress)
    case ended(SessionTaskEnd)
    /// A task that ended without the daemon, which never had it or could not accept it.
    case failed(task: Int, URLError)
    case question(TransferID, task: Int, DelegateQuestion)
    /// Everything that ended while the app was gone has been delivered.
    case finishedEvents
    /// Other code to run on the delegate queue.
    case callback(@Sendable () -> Void)
    /// Always the last delivery.
    case invalidated
}
