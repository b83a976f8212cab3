// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A request as the app created it, before the daemon numbers it.
package struct TaskDraft: Codable, Sendable, Equatable {
    package var identifier: String
    package var kind: TaskRequest.Kind
    @WithinIfPresent<CalendarDates> package var earliestBegin: Date?
    package var requiresNetwork: Bool
    package var requiresExternalPower: Bool
    package var title: String
    package var subtitle: String
    /// For continued processing: refuse rather than queue it if it cannot run at once (`SubmissionStrategy.fail`).
    package var failsUnlessImmediate: Bool
    /// For continued processing: `Resources.gpu`.
    package var requiresGPU: Bool

    package init(
        identifier: String,
        kind: TaskRequest.Kind,
        earliestBegin: Date? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false,
        title: String = "",
        subtitle: String = "",
        failsUnlessImmediate: Bool = false,
        requiresGPU: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
        self.title = title
        self.subtitle = subtitle
        self.failsUnlessImmediate = failsUnlessImmediate
        self.requiresGPU = requiresGPU
    }
}

// MARK: - Requests of an app's process; the kernel identifies the process.

/// Submits a request; answered once it is durable, or refused and recorded.
package struct SubmitTask: WireRequest {
    package static let name = "tasks.submit"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil if it was accepted.
        package var refusal: TaskRefusal?
        package init(refusal: TaskRefusal?) { self.refusal = refusal }
    }
    package var draft: TaskDraft
    /// Random; the same when the request is sent again because its answer was lost. Nil if it is never sent again.
    package var nonce: UInt64?
    /// Whether the request may have been accepted before, in which case it has no effect.
    package var isRepeated = false
    package init(draft: TaskDraft, nonce: UInt64? = nil) {
        self.draft = draft
        self.nonce = nonce
    }

    /// The same request, marked as sent again.
    package var repeated: SubmitTask {
        var again = self
        again.isRepeated = true
        return again
    }
}

/// Starts or stops regular fetch calls of the app; answered once that is durable, or refused and recorded.
package struct SetFetchInterval: WireRequest {
    package static let name = "tasks.fetch"
    package typealias Reply = SubmitTask.Reply
    /// The minimum number of seconds between two calls; nil for never.
    @WithinIfPresent<Durations> package var seconds: Double?
    package init(seconds: Double?) { self.seconds = seconds }
}

/// Why a request was not accepted.
package struct TaskRefusal: Codable, Sendable, Equatable {
    /// `BGTaskScheduler.Error.Code`: 1 unavailable, 2 too many pending, 3 not permitted, 4 cannot run immediately.
    package var code: Int
    /// A sentence for people.
    package var sentence: String
    package init(code: Int, sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}

/// Cancels the app's pending request with an identifier, or all of them; running tasks are left alone.
package struct CancelTasks: WireRequest {
    package static let name = "tasks.cancel"
    package typealias Reply = Empty
    package var identifier: String?
    package init(identifier: String?) { self.identifier = identifier }
}

/// The app's pending requests.
package struct PendingTasks: WireRequest {
    package static let name = "tasks.pending"
    package struct Reply: Codable, Sendable, Equatable {
        package var drafts: [TaskDraft]
        package init(drafts: [TaskDraft]) { self.drafts = drafts }
    }
    package init() {}
}

/// The permissions in the app's `Info.plist`.
package struct TaskRules: WireRequest {
    package static let name = "tasks.rules"
    package struct Reply: Codable, Sendable, Equatable {
        package var app: String
        package var permittedIdentifiers: [String]
        package var backgroundModes: [String]
        /// The paths where an `Info.plist` is searched for, in order, for a message.
        package var candidates: [String]
        package init(app: String, permittedIdentifiers: [String], backgroundModes: [String], candidates: [String]) {
            self.app = app
            self.permittedIdentifiers = permittedIdentifiers
            self.backgroundModes = backgroundModes
            self.candidates = candidates
        }
    }
    package init() {}
}

// MARK: - Requests of people. A task is named by its identifier, by `app/identifier`, or by its number.

/// A task in a list.
package struct TaskRow: Codable, Sendable, Equatable {
    package var record: TaskRecord
    package var reason: TaskReason
    package var progress: TaskProgress?
    package init(record: TaskRecord, reason: TaskReason, progress: TaskProgress?) {
        self.record = record
        self.reason = reason
        self.progress = progress
    }
}

/// Pending and running tasks, the outcomes of finished ones, and the machine's conditions.
package struct ListTasks: WireRequest {
    package static let name = "tasks.list"
    package struct Reply: Codable, Sendable, Equatable {
        /// Running ones first, then by the next check; at most `limit`.
        package var rows: [TaskRow]
        /// How many there are in all.
        package var count: Int
        /// Newest first; at most `limit`.
        package var history: [TaskEntry]
        package var budgets: [TaskBudgetRow]
        package var machine: ConditionsReport
        package init(
            rows: [TaskRow],
            count: Int,
            history: [TaskEntry],
            budgets: [TaskBudgetRow],
            machine: ConditionsReport
        ) {
            self.rows = rows
            self.count = count
            self.history = history
            self.budgets = budgets
            self.machine = machine
        }
    }
    package var app: String?
    package var limit: Int
    package init(app: String? = nil, limit: Int = 1000) {
        self.app = app
        self.limit = limit
    }
}

/// How much an app has used of its daily budget.
package struct TaskBudgetRow: Codable, Sendable, Equatable {
    package var app: String
    /// The remaining seconds, and those of a full day.
    package var left: Double
    package var daily: Double
    package init(app: String, left: Double, daily: Double) {
        self.app = app
        self.left = left
        self.daily = daily
    }
}

/// The conditions, their sources, and the pretended ones.
package struct ConditionsReport: Codable, Sendable, Equatable {
    /// The effective conditions: the machine's, with pretended ones in their place.
    package var conditions: MachineConditions
    package var pretended: PretendedConditions
    /// By condition (`network`, `power`, `battery`, `load`, `disk`), in a few words: its source, or what is missing.
    package var sources: [String: String]
    /// How far the daemon's clock is ahead of the machine's, in seconds; nil if it is not.
    package var ahead: Double?
    package init(
        conditions: MachineConditions,
        pretended: PretendedConditions,
        sources: [String: String],
        ahead: Double? = nil
    ) {
        self.conditions = conditions
        self.pretended = pretended
        self.sources = sources
        self.ahead = ahead
    }
}

/// All details of the tasks that match a name.
package struct ShowTask: WireRequest {
    package static let name = "tasks.show"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [TaskRow]
        package var history: [TaskEntry]
        package var machine: ConditionsReport
        package init(rows: [TaskRow], history: [TaskEntry], machine: ConditionsReport) {
            self.rows = rows
            self.history = history
            self.machine = machine
        }
    }
    package var task: String
    package init(task: String) { self.task = task }
}

/// Predicts which tasks would run, and when, under the present conditions.
package struct ForecastTasks: WireRequest {
    package static let name = "tasks.forecast"
    package struct Reply: Codable, Sendable, Equatable {
        package var starts: [TaskForecast]
        /// Tasks that would not run within that time, and why.
        package var held: [TaskRow]
        package init(starts: [TaskForecast], held: [TaskRow]) {
            self.starts = starts
            self.held = held
        }
    }
    package var app: String?
    /// How far to look ahead, in seconds.
    package var seconds: Double
    package var limit: Int
    package init(app: String? = nil, seconds: Double, limit: Int = 1000) {
        self.app = app
        self.seconds = seconds
        self.limit = limit
    }
}

/// Starts a pending task now, whatever holds it back, or expires a running one.
package struct SimulateTask: WireRequest {
    package static let name = "tasks.simulate"
    package enum Verb: String, Codable, Sendable, Equatable {
        case launch, expire
    }
    package struct Reply: Codable, Sendable, Equatable {
        package var record: TaskRecord
        package init(record: TaskRecord) { self.record = record }
    }
    package var verb: Verb
    package var task: String
    package init(verb: Verb, task: String) {
        self.verb = verb
        self.task = task
    }
}

/// Cancels a task for the person: a pending one is dropped, a running one is asked to end.
package struct CancelTask: WireRequest {
    package static let name = "tasks.stop"
    package struct Reply: Codable, Sendable, Equatable {
        package var record: TaskRecord
        package init(record: TaskRecord) { self.record = record }
    }
    package var task: String
    package init(task: String) { self.task = task }
}

/// Moves the daemon's clock ahead, from one due task to the next. Each task runs to its end first, so a week passes in
/// seconds. The daemon's clock stays ahead until the daemon ends.
package struct AdvanceTime: WireRequest {
    package static let name = "time.advance"
    package struct Reply: Codable, Sendable, Equatable {
        package var now: Date
        /// How far the daemon's clock is ahead of the machine's, in seconds.
        package var ahead: Double
        /// The number of tasks that ended meanwhile.
        package var ended: Int
        package init(now: Date, ahead: Double, ended: Int) {
            self.now = now
            self.ahead = ahead
            self.ended = ended
        }
    }
    package var seconds: Double
    package init(seconds: Double) { self.seconds = seconds }
}

/// Reads the machine's conditions, and which of them are pretended.
package struct GetConditions: WireRequest {
    package static let name = "conditions.get"
    package struct Reply: Codable, Sendable, Equatable {
        package var machine: ConditionsReport
        package init(machine: ConditionsReport) { self.machine = machine }
    }
    package init() {}
}

/// Pretends conditions until the daemon ends; nil values restore the machine's actual conditions.
package struct PretendConditions: WireRequest {
    package static let name = "conditions.pretend"
    package typealias Reply = GetConditions.Reply
    /// Nil changes nothing: commands older than `GetConditions` read the conditions this way.
    package var pretended: PretendedConditions?
    package init(pretended: PretendedConditions?) { self.pretended = pretended }
}
