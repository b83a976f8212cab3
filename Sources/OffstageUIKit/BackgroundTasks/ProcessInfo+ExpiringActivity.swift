// SPDX-License-Identifier: Apache-2.0
import Foundation

extension ProcessInfo {
    /// Runs a block, and keeps the app from being suspended in the meantime. From any thread.
    ///
    /// - Parameters:
    ///   - reason: the activity's name in the app's story; not empty.
    ///   - block: called on a concurrent queue with false; it must not return before the work is done. It is called
    ///     again with true, concurrently, when the background time is almost over: the first call must then return. If
    ///     no time is left at the beginning, it is called only with true.
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
