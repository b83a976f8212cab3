// SPDX-License-Identifier: Apache-2.0

/// The reports of an app's process to the daemon, in the order of the events. They have no answer.
package enum StageReport: Sendable, Hashable, Codable {
    /// `didFinishLaunching` has returned.
    case launched
    /// The delegate calls that lead to this state have returned; only inactive, active and background.
    case state(LifeState)
    case beganTask(BackgroundTask)
    /// The identifier's raw value.
    case endedTask(Int)
    /// Every expiration handler has returned.
    case expired
    /// `handleEventsForBackgroundURLSession` has returned: the session's events may now be delivered.
    case announced(session: String)
    /// Its completion handler was called.
    case handled(session: String)
    /// The task's handler is being called.
    case taskEntered(UInt64)
    /// `setTaskCompleted(success:)`, or the same effect when a task without an expiration handler expires.
    case taskCompleted(TaskCompletion)
    /// No handler is registered for the task's identifier.
    case taskUnclaimed(UInt64)
    /// The task had to end before its handler was entered. The handler will not be called.
    case taskLeftOut(UInt64)
    case taskProgress(UInt64, TaskProgress)
    /// An app with its own main loop has become visible or hidden.
    case visible(Bool)
    /// Ctrl-Z: the process stops itself right after this, to give the shell its prompt.
    case leftTerminal
    /// Whether its process group is the terminal's foreground group, after it was continued or has checked.
    case terminal(isInFront: Bool)
    /// It was continued while in background, by the daemon or another process.
    case continued
    /// Answers `StageCommand.prepareToSuspend`: received, but code of the app may still run.
    case finishing(Int)
    /// Answers `StageCommand.prepareToSuspend`: the library knows of no running code of the app, and defaults are
    /// written.
    case readyToSuspend(Int)

    /// The name of the frame that carries one.
    package static let name = "stage.report"
}

/// An open background task, as `beginBackgroundTask` made it.
package struct BackgroundTask: Sendable, Hashable, Codable {
    /// `UIBackgroundTaskIdentifier.rawValue`, from 1.
    package var id: Int
    package var name: String
    /// When it was begun, in seconds on `CLOCK_BOOTTIME`.
    package var beganAt: Double

    package init(id: Int, name: String, beganAt: Double) {
        self.id = id
        self.name = name
        self.beganAt = beganAt
    }
}
