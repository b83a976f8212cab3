// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// One entry of an app's story in `--json` output (docs/json.md).
package struct AppEntryDocument: Encodable, Sendable {
    struct Task: Encodable, Sendable {
        let name: String
        let seconds: Double
        let count: Int?
    }

    private let number: Int64
    private let date: Date
    private let uptime: Double
    private var event: String
    private let text: String
    private var process: Int32?
    private var from: String?
    private var to: String?
    /// Why: a word from a documented list.
    private var cause: String?
    private var session: String?
    private var task: String?
    private var tasks: [Task]?
    private var seconds: Double?
    private var detail: String?
    private var exitStatus: Int32?
    private var signal: Int32?
    private var cancelledTransfers: Int?
    private var notification: String?
    private var action: String?

    package init(_ stored: StoredAppEntry) {
        number = stored.number
        date = stored.entry.date
        uptime = stored.entry.uptime
        text = AppStoryText.sentence(stored.entry.happening)
        event = ""
        set(stored.entry.happening)
    }

    private mutating func set(_ happening: AppEntry.Happening) {
        switch happening {
        case .registered: event = "registered"
        case .launching(let cause):
            event = "launching"
            set(cause)
        case .launchFailed(let detail): (event, self.detail) = ("launchFailed", detail)
        case .launchDelayed(let cause, let seconds, let detail):
            (event, self.seconds, self.detail) = ("launchDelayed", seconds, detail)
            set(cause)
        case .attached(let process): (event, self.process) = ("attached", process)
        case .moved(let from, let to, let cause):
            (event, self.from, self.to) = ("moved", from.rawValue, to.rawValue)
            set(cause)
        case .woken(let cause):
            event = "woken"
            set(cause)
        case .handledEvents(let session): (event, self.session) = ("handledEvents", session)
        case .taskBegan(let task): (event, self.task) = ("taskBegan", task)
        case .taskExpiring(let task, let expiry):
            (event, self.task, cause, detail) = ("taskExpiring", task, expiry.rawValue, expiry.summary)
        case .taskEnded(let task, let ending):
            (event, self.task, cause, detail) = ("taskEnded", task, Self.word(ending), ending.summary)
        case .expiring(let tasks): (event, self.tasks) = ("expiring", Self.tasks(tasks))
        case .eventsNotHandled(let session, let seconds):
            (event, self.session, self.seconds) = ("eventsNotHandled", session, seconds)
        case .notified(let headline, let outcome):
            (event, notification) = ("notified", headline)
            set(outcome)
        case .memoryWarning: event = "memoryWarning"
        case .debugged(let tracer): (event, process) = ("debugged", tracer)
        case .toldToEnd(let reason):
            event = "toldToEnd"
            set(reason)
        case .killed(let reason):
            event = "killed"
            set(reason)
        case .ended(let end):
            event = "ended"
            switch end {
            case .exited(let status): exitStatus = status
            case .signalled(let number): signal = number
            case .unknown: break
            }
        case .quit(let count): (event, cancelledTransfers) = ("quit", count)
        case .found(let process, let state): (event, self.process, to) = ("found", process, state.rawValue)
        }
    }

    private mutating func set(_ outcome: AppEntry.NotificationOutcome) {
        switch outcome {
        case .shown: cause = "shown"
        case .notShown(let why): (cause, detail) = ("notShown", why)
        case .keptSilent: cause = "keptSilent"
        case .answered(let action): (cause, self.action) = ("answered", action)
        case .answerNotHeard(let action, let why): (cause, self.action, detail) = ("answerNotHeard", action, why)
        }
    }

    private mutating func set(_ cause: AppEntry.Cause) {
        switch cause {
        case .person: self.cause = "person"
        case .app: self.cause = "app"
        case .terminal: self.cause = "terminal"
        case .launched(let launch): set(launch)
        case .nothingToDo: self.cause = "nothingToDo"
        case .codeTooLong(let seconds): (self.cause, self.seconds) = ("codeTooLong", seconds)
        case .sessionEvents(let session): (self.cause, self.session) = ("sessionEvents", session)
        case .openTasks: self.cause = "openTasks"
        case .system: self.cause = "system"
        }
    }

    private mutating func set(_ reason: AppEntry.KillReason) {
        switch reason {
        case .backgroundTimeOver(let seconds, let tasks):
            (cause, self.seconds, self.tasks) = ("backgroundTimeOver", seconds, Self.tasks(tasks))
        case .didEnterBackgroundTooLong(let seconds):
            (cause, self.seconds) = ("didEnterBackgroundTooLong", seconds)
        case .eventsTooLong(let session, let seconds):
            (cause, self.session, self.seconds) = ("eventsTooLong", session, seconds)
        case .launchTooLong(let seconds): (cause, self.seconds) = ("launchTooLong", seconds)
        case .taskTooLong(let task, let seconds): (cause, self.task, self.seconds) = ("taskTooLong", task, seconds)
        case .terminateTooLong(let seconds): (cause, self.seconds) = ("terminateTooLong", seconds)
        case .memoryPressure: cause = "memoryPressure"
        case .terminated: cause = "terminated"
        case .quit: cause = "quit"
        case .replaced: cause = "replaced"
        }
    }

    private mutating func set(_ cause: LaunchCause) {
        switch cause {
        case .person: self.cause = "person"
        case .personInBackground: self.cause = "personInBackground"
        case .sessionEvents(let session): (self.cause, self.session) = ("sessionEvents", session)
        case .task(let identifier): (self.cause, task) = ("task", identifier)
        }
    }

    private static func word(_ ending: TaskEnding) -> String {
        switch ending {
        case .completed: "completed"
        case .expired: "expired"
        case .killed: "killed"
        case .appEnded: "appEnded"
        case .noHandler: "noHandler"
        case .launchFailed: "launchFailed"
        case .quit: "quit"
        }
    }

    private static func tasks(_ held: [AppEntry.HeldTask]) -> [Task] {
        held.map { Task(name: $0.name, seconds: $0.seconds, count: $0.count) }
    }
}
