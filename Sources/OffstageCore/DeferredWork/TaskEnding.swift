// SPDX-License-Identifier: Apache-2.0

/// How a task's run ended. After each of these it does not run again by itself: the app submits again if it wants to.
package enum TaskEnding: Sendable, Hashable, Codable {
    /// `setTaskCompleted(success:)`.
    case completed(success: Bool)
    /// Its expiration handler was called, and it was completed in time, or had no handler.
    case expired(TaskExpiry, success: Bool)
    /// It did not answer the expiration; its process was killed.
    case killed(TaskExpiry, seconds: Double)
    /// The app's process ended while it ran.
    case appEnded(ProcessEnd)
    /// The app was launched and has not registered a handler for the identifier.
    case noHandler
    /// The app cannot be launched.
    case launchFailed(String)
    /// The person quit the app: continued processing, which ends without a call.
    case quit
}

/// Why a task is told to end.
package enum TaskExpiry: String, Sendable, Hashable, Codable {
    case timeOver
    /// The machine is no longer idle.
    case machineBusy
    /// External power, which it requires, has gone.
    case powerLost
    case memoryPressure
    case cancelledByPerson
    /// `offstage simulate expire`.
    case simulated
}
