// SPDX-License-Identifier: Apache-2.0

/// How a task's run ended. In each case it does not run again automatically: the app submits it again if it wants to.
package enum TaskEnding: Sendable, Hashable, Codable {
    /// `setTaskCompleted(success:)`.
    case completed(success: Bool)
    /// Its expiration handler was called, and it was completed in time, or had no handler.
    case expired(TaskExpiry, success: Bool)
    /// It did not answer the expiration; its process was killed.
    case killed(TaskExpiry, seconds: Double)
    /// The app's process ended while it ran.
    case appEnded(ProcessEnd)
    /// The app was launched but did not register a handler for the identifier.
    case noHandler
    /// The app cannot be launched.
    case launchFailed(String)
    /// The person quit the app: continued processing, which ends without a call.
    case quit
}

/// Why a task is asked to end.
package enum TaskExpiry: String, Sendable, Hashable, Codable {
    case timeOver
    /// The machine is no longer idle.
    case machineBusy
    /// External power, which it requires, was lost.
    case powerLost
    case memoryPressure
    case cancelledByPerson
    /// `offstage simulate expire`.
    case simulated
}
