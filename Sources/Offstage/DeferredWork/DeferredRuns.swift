// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The deferred tasks that this process was told to run, by number: what is said of each, however often the daemon asks.
/// A value; `DeferredWorkPort` guards it.
package struct DeferredRuns: Sendable {
    /// What to do about a task that the daemon wants to be run.
    package enum Start: Sendable, Equatable {
        /// It has not been heard of: its handler is to be looked for, and entered in this turn.
        case new(turn: UInt64)
        /// It is on its way to its handler, or there.
        case running(isEntered: Bool)
        case completed(TaskCompletion)
    }

    /// What is to be done about a task that is to end.
    package enum Expiry: Sendable, Equatable {
        /// Its handler was not entered, and will not be: it is as if it had never been asked for.
        case leftOut
        case running
        case completed(TaskCompletion)
        /// It is not known here.
        case unknown
    }

    private struct Run: Sendable {
        /// Tells one start of a task from a later one, when it was left out in between.
        var turn: UInt64
        var isEntered = false
    }

    private var runs: [UInt64: Run] = [:]
    private var turns: UInt64 = 0
    /// Tasks that have not been completed; whether their handlers were entered.
    package var running: [UInt64: Bool] { runs.mapValues(\.isEntered) }
    /// The last that were completed, the newest last.
    package private(set) var completed: [TaskCompletion] = []
    /// How many of those are kept: more than a daemon that was gone for a moment can have missed.
    private static let memory = 100

    package init() {}

    /// The daemon wants a task to be run. A new one counts as running from here on.
    package mutating func start(_ number: UInt64) -> Start {
        if let completion = completion(of: number) { return .completed(completion) }
        if let run = runs[number] { return .running(isEntered: run.isEntered) }
        turns += 1
        runs[number] = Run(turn: turns)
        return .new(turn: turns)
    }

    /// The task's handler is about to be called; false when it must not be, since the task was completed before, or left
    /// out in this turn.
    package mutating func enter(_ number: UInt64, turn: UInt64) -> Bool {
        guard let run = runs[number], run.turn == turn, !run.isEntered else { return false }
        runs[number]?.isEntered = true
        return true
    }

    /// The task is to end.
    package mutating func expire(_ number: UInt64) -> Expiry {
        if let completion = completion(of: number) { return .completed(completion) }
        guard let run = runs[number] else { return .unknown }
        if run.isEntered { return .running }
        runs[number] = nil
        return .leftOut
    }

    /// The task is over; false when it was before.
    package mutating func complete(_ completion: TaskCompletion) -> Bool {
        guard runs.removeValue(forKey: completion.number) != nil else { return false }
        if completed.count == Self.memory { completed.removeFirst() }
        completed.append(completion)
        return true
    }

    /// The task has no handler here.
    package mutating func forget(_ number: UInt64) { runs[number] = nil }

    package func completion(of number: UInt64) -> TaskCompletion? { completed.last { $0.number == number } }
}
