// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit

/// Background tasks: while one is open, the app is not suspended until its background time is over.
extension UIApplication {
    /// Opens a background task, named after its caller. From any thread.
    ///
    /// - Parameter handler: called on the main thread shortly before the app's background time is over; it must end the
    ///   task. An app that still holds tasks when the time is over is killed.
    /// - Returns: the identifier for `endBackgroundTask`: each task is ended separately, even if several have the same
    ///   name.
    @preconcurrency @inline(never)
    nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        Stage.current.beginTask(from: offstage_caller(1), handler)
    }

    /// Opens a background task. From any thread.
    ///
    /// - Parameters:
    ///   - taskName: the task's name in the app's story; if nil or empty, a name is derived from the caller.
    ///   - handler: called on the main thread shortly before the app's background time is over; it must end the task.
    ///     An app that still holds tasks when the time is over is killed.
    /// - Returns: the identifier for `endBackgroundTask`: each task is ended separately, even if several have the same
    ///   name.
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

    /// Ends a background task. After the last one, an app in the background is suspended a moment later. If the library
    /// called the code that ends the task, the app is not suspended before that code has returned. From any thread.
    ///
    /// - Parameter identifier: the value from `beginBackgroundTask`; one that is not open is reported on standard
    ///   error.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        Stage.current.endTask(identifier.rawValue)
    }

    /// Seconds left to run in the background; the greatest finite number in the foreground. From any thread.
    nonisolated public var backgroundTimeRemaining: TimeInterval { Stage.current.timeRemaining }
}
