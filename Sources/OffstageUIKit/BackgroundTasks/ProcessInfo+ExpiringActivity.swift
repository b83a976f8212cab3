// SPDX-License-Identifier: Apache-2.0
import Foundation

extension ProcessInfo {
    /// Does something that keeps the app from being suspended while it lasts. From any thread.
    ///
    /// - Parameters:
    ///   - reason: what the app's story calls it; not empty.
    ///   - block: called on a concurrent queue, with false, and not to return before the work is done. Called again with
    ///     true, at the same time, when the time in background is almost over: the first call has to return then. When
    ///     there is no time left to begin with, it is only called with true.
    public func performExpiringActivity(
        withReason reason: String,
        using block: @escaping @Sendable (_ isExpired: Bool) -> Void
    ) {
        precondition(!reason.isEmpty, "performExpiringActivity(withReason:using:): the reason is empty.")
        guard Stage.current.timeRemaining > 0 else { return DispatchQueue.global().async { block(true) } }
        let task = Stage.current.beginTask(named: reason) { DispatchQueue.global().async { block(true) } }
        DispatchQueue.global().async {
            block(false)
            Stage.current.endTask(task.rawValue)
        }
    }
}
