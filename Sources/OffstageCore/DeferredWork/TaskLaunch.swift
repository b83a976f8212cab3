// SPDX-License-Identifier: Apache-2.0

/// A task that an app is to run now: what its process is told.
package struct TaskLaunch: Sendable, Hashable, Codable {
    package var number: UInt64
    package var identifier: String
    package var kind: TaskRequest.Kind
    /// Seconds that it may take from when its process is told; nil for as long as it wants.
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

/// How far continued processing is, and what its person reads.
package struct TaskProgress: Sendable, Hashable, Codable {
    package var title: String
    package var subtitle: String
    package var completed: Int64
    /// 0 or less for not known.
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

/// What an app's life tells whoever asked for a task to be run: each run is told exactly one `ended` or `returned`.
package enum TaskNotice: Sendable, Hashable {
    /// The handler is being entered.
    case entered(UInt64)
    case progress(UInt64, TaskProgress)
    case ended(UInt64, TaskEnding)
    /// It did not come to its handler; the sentence says why. The request waits again.
    case returned(UInt64, String)
}
