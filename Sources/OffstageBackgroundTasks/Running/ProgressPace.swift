// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// When the daemon is told how far a task is: at most four times a second, and the last that there was in any case.
/// A value.
package struct ProgressPace: Sendable {
    /// What is to be done about a change.
    package enum Step: Sendable, Equatable {
        case nothing
        case tell(TaskProgress)
        /// Call `due` after so many seconds.
        case wait(seconds: Double)
    }

    /// Seconds between two that are told.
    package static let interval = 0.25

    package private(set) var progress: TaskProgress
    private var told: TaskProgress
    private var toldAt: Double?
    private var isWaiting = false

    package init(_ progress: TaskProgress) {
        self.progress = progress
        told = progress
    }

    /// Something has changed, or may have.
    ///
    /// - Parameters:
    ///   - now: seconds on any clock that does not jump.
    ///   - body: makes the change.
    /// - Returns: what is to be done.
    package mutating func change(now: Double, _ body: (inout TaskProgress) -> Void) -> Step {
        body(&progress)
        guard progress != told, !isWaiting else { return .nothing }
        if let toldAt, now - toldAt < Self.interval {
            isWaiting = true
            return .wait(seconds: Self.interval - (now - toldAt))
        }
        return tell(now)
    }

    /// The time that was waited for has come.
    package mutating func due(now: Double) -> Step {
        isWaiting = false
        return progress == told ? .nothing : tell(now)
    }

    /// Nothing comes after this: what has not been told yet is told.
    package mutating func end(now: Double) -> Step { progress == told ? .nothing : tell(now) }

    private mutating func tell(_ now: Double) -> Step {
        told = progress
        toldAt = now
        return .tell(progress)
    }
}
