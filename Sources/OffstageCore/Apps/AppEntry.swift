// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// One line of an app's story: the event and its reason. Kept in the store, oldest first.
package struct AppEntry: Sendable, Equatable, Codable {
    package enum Happening: Sendable, Equatable, Codable {
        case registered
        /// About to be launched.
        case launching(LaunchCause)
        case launchFailed(String)
        /// The background launch is postponed.
        case launchDelayed(LaunchCause, seconds: Double, String)
        /// A process has connected.
        case attached(process: Int32)
        case moved(from: LifeState, to: LifeState, Cause)
        /// A suspended app was continued, or a running one notified, for a session's events.
        case woken(LaunchCause)
        case handledEvents(session: String)
        /// Deferred work: its handler is being entered, and its outcome.
        case taskBegan(String)
        case taskExpiring(String, TaskExpiry)
        case taskEnded(String, TaskEnding)
        /// The expiration handlers are being called.
        case expiring(tasks: [HeldTask])
        /// The completion handler of `handleEventsForBackgroundURLSession` was not called in time.
        case eventsNotHandled(session: String, seconds: Double)
        /// One of its notifications, and the outcome.
        case notified(headline: String, NotificationOutcome)
        case memoryWarning
        /// A debugger holds its process, which is neither stopped nor killed for taking too long meanwhile.
        case debugged(by: Int32)
        /// Its `applicationWillTerminate` is being called.
        case toldToEnd(KillReason)
        /// Written before the process is killed.
        case killed(KillReason)
        case ended(ProcessEnd)
        /// The person swiped it away, with the number of cancelled transfers.
        case quit(cancelledTransfers: Int)
        /// A new daemon found the process.
        case found(process: Int32, LifeState)
    }

    /// Why it changed its state.
    package enum Cause: Sendable, Equatable, Codable {
        case person
        /// The app's own window, or loop, reported it.
        case app
        case terminal
        case launched(LaunchCause)
        /// No background task is open and nothing else keeps it running.
        case nothingToDo
        /// As before, after code of the app had continued for so many seconds.
        case codeTooLong(seconds: Double)
        case sessionEvents(String)
        case openTasks(Int)
        case system
    }

    /// A background task, and how long it was held.
    package struct HeldTask: Sendable, Equatable, Codable {
        package var name: String
        /// For several tasks with the same name, the longest time.
        package var seconds: Double
        /// The number of tasks with this name; nil for one.
        package var count: Int?

        package init(name: String, seconds: Double, count: Int? = nil) {
            self.name = name
            self.seconds = seconds
            self.count = count
        }
    }

    package enum NotificationOutcome: Sendable, Equatable, Codable {
        case shown
        /// It is shown only here; the reason.
        case notShown(String)
        /// The app was in front and chose not to show it.
        case keptSilent
        /// A person has answered it, and the app's delegate has received the answer.
        case answered(action: String)
        /// The app's delegate has not received the answer; the reason.
        case answerNotHeard(action: String, String)
    }

    package enum KillReason: Sendable, Equatable, Codable {
        /// Background tasks were still open when the time ran out.
        case backgroundTimeOver(seconds: Double, tasks: [HeldTask])
        /// `applicationDidEnterBackground` did not return.
        case didEnterBackgroundTooLong(seconds: Double)
        /// `handleEventsForBackgroundURLSession` did not return.
        case eventsTooLong(session: String, seconds: Double)
        case launchTooLong(seconds: Double)
        /// A deferred task was told to end and was not completed.
        case taskTooLong(identifier: String, seconds: Double)
        /// `applicationWillTerminate` did not return, or the process did not end.
        case terminateTooLong(seconds: Double)
        case memoryPressure
        /// Asked for: `offstage app terminate`.
        case terminated
        /// Swiped away.
        case quit
        /// The person launched it again.
        case replaced
    }

    package var date: Date
    /// Seconds on `CLOCK_BOOTTIME`.
    package var uptime: Double
    package var happening: Happening

    package init(at now: Moment, _ happening: Happening) {
        date = now.wall
        uptime = now.uptime
        self.happening = happening
    }
}

/// How a process ended, as far as the daemon can tell.
package enum ProcessEnd: Sendable, Hashable, Codable {
    case exited(Int32)
    case signalled(Int32)
    /// Not a child of this daemon.
    case unknown

    /// Whether it ended like a crashed program.
    package var isCrash: Bool {
        switch self {
        case .exited(let status): status != 0
        case .signalled: true
        case .unknown: false
        }
    }
}
