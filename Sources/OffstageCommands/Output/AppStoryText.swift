// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// The history of an app, as sentences.
package enum AppStoryText {
    /// `14:03:12.120 suspended: no background task was open`, after a line with the date if the day has changed.
    ///
    /// - Parameters:
    ///   - entry: the event.
    ///   - day: the day of the previous line; changed to the entry's.
    /// - Returns: one line, or two.
    package static func lines(_ entry: AppEntry, day: inout String) -> [String] {
        let today = Format.day(entry.date)
        defer { day = today }
        let line = "\(Format.clock(entry.date)) \(sentence(entry.happening))".redactedControls
        return day == today ? [line] : ["\(today):", line]
    }

    /// One event, as the remainder of a sentence whose subject is the app.
    package static func sentence(_ happening: AppEntry.Happening) -> String {
        switch happening {
        case .registered: "registered"
        case .launching(let cause): "\(launching(cause)): \(why(cause))"
        case .launchFailed(let detail): "could not be launched: \(detail)"
        case .launchDelayed(let cause, let seconds, let detail):
            "not launched for \(Format.seconds(seconds)), although \(why(cause)): \(detail)"
        case .attached(let process): "process \(process) has connected"
        case .moved(let from, let to, let cause): "\(state(to)): \(why(from, to, cause))"
        case .woken(let cause): "woken: \(why(cause))"
        case .handledEvents(let session): "has handled the events of session '\(session)'"
        case .taskBegan(let identifier): "\(work(identifier)) has begun"
        case .taskExpiring(let identifier, let expiry):
            "\(work(identifier)) is told to end, since \(expiry.summary)"
        case .taskEnded(let identifier, let ending): "\(work(identifier)) was \(ending.summary)"
        case .expiring(let tasks):
            tasks.isEmpty
                ? "its time is nearly over" : "its time is nearly over, and it was notified: \(held(tasks))"
        case .eventsNotHandled(let session, let seconds):
            "the completion handler for session '\(session)' was not called within \(Format.seconds(seconds))"
        case .notified(let headline, let outcome): notified(headline, outcome)
        case .memoryWarning: "warned that memory is low"
        case .debugged(let tracer):
            "held by a debugger, process \(tracer): not suspended, and no time limit applies, until that detaches"
        case .toldToEnd(let reason): "told to end: \(why(reason))"
        case .killed(let reason): "killed: \(why(reason))"
        case .ended(let end): ended(end)
        case .quit(let count):
            "quit by a person: \(count == 0 ? "no transfer was" : count == 1 ? "1 transfer was" : "\(count) transfers were") cancelled"
        case .found(let process, let state): "found by a new daemon as process \(process), \(Self.state(state))"
        }
    }

    /// Work that runs as a deferred task; notifications have such errands, too.
    private static func work(_ identifier: String) -> String {
        NotificationErrand.isErrand(identifier) ? identifier : "deferred task '\(identifier)'"
    }

    private static func notified(_ headline: String, _ outcome: AppEntry.NotificationOutcome) -> String {
        switch outcome {
        case .shown: "notification '\(headline)' is shown on the desktop"
        case .notShown(let why): "notification '\(headline)' was delivered, but is not shown: \(why)"
        case .keptSilent: "notification '\(headline)' is not shown: the app was in front and declined to show it"
        case .answered(let action): "was told that notification '\(headline)' was \(answered(action))"
        case .answerNotHeard(let action, let why):
            "was not told that notification '\(headline)' was \(answered(action)): \(why)"
        }
    }

    private static func answered(_ action: String) -> String {
        switch action {
        case NotificationAnswer.defaultAction: "opened"
        case NotificationAnswer.dismissAction: "dismissed"
        default: "answered by '\(action)'"
        }
    }

    private static func launching(_ cause: LaunchCause) -> String {
        cause.isForeground ? "being launched" : "being launched in the background"
    }

    static func why(_ cause: LaunchCause) -> String {
        switch cause {
        case .person: "a person opened it"
        case .personInBackground: "a person asked for it"
        case .sessionEvents(let session): "session '\(session)' has something for it"
        case .task(let identifier): "\(work(identifier)) is to run"
        }
    }

    private static func state(_ state: LifeState) -> String {
        switch state {
        case .launching: "launching"
        case .inactive: "inactive"
        case .active: "active"
        case .background: "in background"
        case .suspended: "suspended"
        case .terminated: "not running"
        }
    }

    private static func why(_ from: LifeState, _ to: LifeState, _ cause: AppEntry.Cause) -> String {
        let isLeaving = to == .background || to == .suspended
        switch cause {
        case .person:
            return isLeaving
                ? "a person sent it there"
                : to == .terminated ? "a person ended it" : "a person brought it to the front"
        case .app: return app(from, to)
        case .terminal:
            return isLeaving ? "its terminal was given back to the shell" : "it is in the terminal's foreground again"
        case .launched(let cause): return why(cause)
        case .nothingToDo: return "no background task was open"
        case .codeTooLong(let seconds):
            return "no background task was open, and its code had not returned after \(Format.seconds(seconds))"
        case .sessionEvents(let session): return "session '\(session)' has something for it"
        case .openTasks(let count):
            return count == 1 ? "a background task is open" : "\(count) background tasks are open"
        case .system: return to == .terminated ? "its process has ended" : "the system decided it"
        }
    }

    /// A change reported by the process itself.
    private static func app(_ from: LifeState, _ to: LifeState) -> String {
        switch to {
        case .launching: "its process has connected"
        case .active: "applicationDidBecomeActive has returned"
        case .inactive: from == .active ? "the app says so" : "its window is visible"
        case .background: from == .suspended ? "the app says so" : "its window is no longer visible"
        case .suspended, .terminated: "the app says so"
        }
    }

    private static func why(_ reason: AppEntry.KillReason) -> String {
        switch reason {
        case .backgroundTimeOver(let seconds, let tasks):
            tasks.isEmpty
                ? "its \(Format.seconds(seconds)) in the background were over and it did not acknowledge it"
                : "its \(Format.seconds(seconds)) in the background were over: \(held(tasks))"
        case .didEnterBackgroundTooLong(let seconds):
            "applicationDidEnterBackground had not returned after \(Format.seconds(seconds))"
        case .eventsTooLong(let session, let seconds):
            "the call for the events of session '\(session)' had not returned after \(Format.seconds(seconds))"
        case .launchTooLong(let seconds): "it had not finished launching after \(Format.seconds(seconds))"
        case .taskTooLong(let identifier, let seconds):
            "deferred task '\(identifier)' was told to end and was not completed after \(Format.seconds(seconds))"
        case .terminateTooLong(let seconds): "it was told to end and had not done so after \(Format.seconds(seconds))"
        case .memoryPressure: "memory was low, and it was suspended"
        case .terminated: "it was to be terminated"
        case .quit: "a person quit it"
        case .replaced: "a person launched it again"
        }
    }

    /// `'upload' was held for 30.1 s, 'sync' for 2 s`.
    private static func held(_ tasks: [AppEntry.HeldTask]) -> String {
        tasks.enumerated().map { index, task in
            let count = task.count.map { "\($0) × " } ?? ""
            let held = index > 0 ? "for" : count.isEmpty ? "was held for" : "were held for"
            return "\(count)'\(task.name)' \(held) \(Format.seconds(task.seconds))"
        }.joined(separator: ", ")
    }

    private static func ended(_ end: ProcessEnd) -> String {
        switch end {
        case .exited(let status): "its process has ended with exit status \(status)"
        case .signalled(let number): "its process was ended by \(signal(number))"
        case .unknown: "its process has ended"
        }
    }

    /// The names of the signals that end programs.
    static func signal(_ number: Int32) -> String {
        let names: [Int32: String] = [
            1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
            9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
            31: "SIGSYS",
        ]
        return names[number] ?? "signal \(number)"
    }
}
