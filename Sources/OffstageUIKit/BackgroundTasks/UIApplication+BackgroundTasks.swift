// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit

/// Time to finish: while a background task is open the app is not suspended, for as long as its time in background lasts.
extension UIApplication {
    /// Opens a background task, named after its caller. From any thread.
    ///
    /// - Parameter handler: called on the main thread shortly before the app's time in background is over, and ends the
    ///   task. An app that still holds tasks when the time is over is killed.
    /// - Returns: what `endBackgroundTask` takes: each task is ended for itself, whatever its name.
    @preconcurrency @inline(never)
    nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        Stage.current.beginTask(from: offstage_caller(1), handler)
    }

    /// Opens a background task. From any thread.
    ///
    /// - Parameters:
    ///   - taskName: what the app's story calls it; nil or empty for a name made from the caller's.
    ///   - handler: called on the main thread shortly before the app's time in background is over, and ends the task.
    ///     An app that still holds tasks when the time is over is killed.
    /// - Returns: what `endBackgroundTask` takes: each task is ended for itself, whatever its name.
    @preconcurrency @inline(never)
    nonisolated public func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        guard let taskName, !taskName.isEmpty else {
            return Stage.current.beginTask(from: offstage_caller(1), handler)
        }
        return Stage.current.beginTask(named: taskName, handler)
    }

    /// Ends a background task. With the last one an app in background is suspended, a moment later: not before the code
    /// that calls this has returned, where the library has called it. From any thread.
    ///
    /// - Parameter identifier: what `beginBackgroundTask` has given; one that is not open is named on standard error.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        Stage.current.endTask(identifier.rawValue)
    }

    /// Seconds left to run in background; in foreground the greatest finite number. From any thread.
    nonisolated public var backgroundTimeRemaining: TimeInterval { Stage.current.timeRemaining }
}
