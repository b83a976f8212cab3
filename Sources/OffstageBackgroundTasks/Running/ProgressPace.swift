// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decides when to report a task's progress to the daemon: at most four times a second, and always the last value. A
/// value.
package struct ProgressPace: Sendable {
    /// What to do about a change.
    package enum Step: Sendable, Equatable {
        case nothing
        case report(TaskProgress)
        /// Call `due` after this many seconds.
        case wait(seconds: Double)
    }

    /// The minimum number of seconds between two reports.
    package static let interval = 0.25

    package private(set) var progress: TaskProgress
    private var told: TaskProgress
    private var toldAt: Double?
    private var isWaiting = false

    package init(_ progress: TaskProgress) {
        self.progress = progress
        told = progress
    }

    /// Makes a change to the progress, which may have no effect.
    ///
    /// - Parameters:
    ///   - now: seconds on any clock that does not jump.
    ///   - body: makes the change.
    /// - Returns: what to do.
    package mutating func change(now: Double, _ body: (inout TaskProgress) -> Void) -> Step {
        body(&progress)
        guard progress != told, !isWaiting else { return .nothing }
        if let toldAt, now - toldAt < Self.interval {
            isWaiting = true
            return .wait(seconds: Self.interval - (now - toldAt))
        }
        return report(now)
    }

    /// Called when the time to wait has passed.
    package mutating func due(now: Double) -> Step {
        isWaiting = false
        return progress == told ? .nothing : report(now)
    }

    /// Ends the reports: a value that has not been reported is reported now.
    package mutating func end(now: Double) -> Step { progress == told ? .nothing : report(now) }

    private mutating func report(_ now: Double) -> Step {
        told = progress
        toldAt = now
        return .report(progress)
    }
}
