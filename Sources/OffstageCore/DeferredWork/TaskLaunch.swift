// SPDX-License-Identifier: Apache-2.0

/// A task that an app should run now, as sent to its process.
package struct TaskLaunch: Sendable, Hashable, Codable {
    /// Errands that are not requests for deferred work are numbered from here on; requests have lower numbers.
    package static let firstErrandNumber: UInt64 = 1 << 48

    package var number: UInt64
    package var identifier: String
    package var kind: TaskRequest.Kind
    /// Seconds that it may take after its process was notified; nil for no limit.
    package var seconds: Double?
    package var title: String
    package var subtitle: String

    package init(
        number: UInt64,
        identifier: String,
        kind: TaskRequest.Kind,
        seconds: Double?,
        title: String = "",
        subtitle: String = ""
    ) {
        self.number = number
        self.identifier = identifier
        self.kind = kind
        self.seconds = seconds
        self.title = title
        self.subtitle = subtitle
    }
}

/// The progress of continued processing, and its texts for the person.
package struct TaskProgress: Sendable, Hashable, Codable {
    package var title: String
    package var subtitle: String
    package var completed: Int64
    /// 0 or less if unknown.
    package var total: Int64

    package init(title: String, subtitle: String, completed: Int64, total: Int64) {
        self.title = title
        self.subtitle = subtitle
        self.completed = completed
        self.total = total
    }
}

/// A run that a process has completed.
package struct TaskCompletion: Sendable, Hashable, Codable {
    package var number: UInt64
    package var success: Bool

    package init(number: UInt64, success: Bool) {
        self.number = number
        self.success = success
    }
}

/// Reports of an app's life cycle about a run: exactly one `ended` or `returned` for each.
package enum TaskNotice: Sendable, Hashable {
    /// The handler is being entered.
    case entered(UInt64)
    case progress(UInt64, TaskProgress)
    case ended(UInt64, TaskEnding)
    /// Its handler was not entered; the sentence says why. The request waits again.
    case returned(UInt64, String)
}
