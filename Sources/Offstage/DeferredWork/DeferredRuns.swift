// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The deferred tasks that the daemon has asked this process to run, by number. Decides what to report about each,
/// however often the daemon asks. A value; `DeferredWorkPort` guards it.
package struct DeferredRuns: Sendable {
    /// What to do about a task that the daemon wants to run.
    package enum Start: Sendable, Equatable {
        /// The task is new: find its handler, and pass this turn to `enter`.
        case new(turn: UInt64)
        /// The task is on its way to its handler, or the handler has been entered.
        case running(isEntered: Bool)
        case completed(TaskCompletion)
    }

    /// What to do about a task that has to end.
    package enum Expiry: Sendable, Equatable {
        /// Its handler was not entered and will not be, as if the task had never been requested.
        case leftOut
        case running
        case completed(TaskCompletion)
        /// This process does not know the task.
        case unknown
    }

    private struct Run: Sendable {
        /// Distinguishes one start of a task from a later one, if it was left out in between.
        var turn: UInt64
        var isEntered = false
    }

    private var runs: [UInt64: Run] = [:]
    private var turns: UInt64 = 0
    /// The tasks that have not been completed, and whether their handlers were entered.
    package var running: [UInt64: Bool] { runs.mapValues(\.isEntered) }
    /// The most recently completed tasks, the newest last.
    package private(set) var completed: [TaskCompletion] = []
    /// How many completed tasks are remembered: more than a briefly absent daemon can have missed.
    private static let memory = 100

    package init() {}

    /// Starts a task that the daemon wants to run. A new task counts as running from here on.
    package mutating func start(_ number: UInt64) -> Start {
        if let completion = completion(of: number) { return .completed(completion) }
        if let run = runs[number] { return .running(isEntered: run.isEntered) }
        turns += 1
        runs[number] = Run(turn: turns)
        return .new(turn: turns)
    }

    /// Records that the task's handler is about to be called. False if it must not be called, because the task was
    /// completed before or left out in this turn.
    package mutating func enter(_ number: UInt64, turn: UInt64) -> Bool {
        guard let run = runs[number], run.turn == turn, !run.isEntered else { return false }
        runs[number]?.isEntered = true
        return true
    }

    /// Expires the task.
    package mutating func expire(_ number: UInt64) -> Expiry {
        if let completion = completion(of: number) { return .completed(completion) }
        guard let run = runs[number] else { return .unknown }
        if run.isEntered { return .running }
        runs[number] = nil
        return .leftOut
    }

    /// Completes the task; false if it was completed before.
    package mutating func complete(_ completion: TaskCompletion) -> Bool {
        guard runs.removeValue(forKey: completion.number) != nil else { return false }
        if completed.count == Self.memory { completed.removeFirst() }
        completed.append(completion)
        return true
    }

    /// Forgets a task that has no handler here.
    package mutating func forget(_ number: UInt64) { runs[number] = nil }

    package func completion(of number: UInt64) -> TaskCompletion? { completed.last { $0.number == number } }
}
