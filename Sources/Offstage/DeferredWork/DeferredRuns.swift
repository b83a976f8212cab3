// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The deferred tasks that this process was told to run, by number: what is said of each, however often the daemon asks.
/// A value; `DeferredWorkPort` guards it.
package struct DeferredRuns: Sendable {
    /// What to do about a task that the daemon wants to be run.
    package enum Start: Sendable, Equatable {
        /// It has not been heard of: its handler is to be looked for.
        case new
        /// It is on its way to its handler, or there.
        case running(isEntered: Bool)
        case completed(TaskCompletion)
    }

    /// Tasks that have not been completed; whether their handlers were entered.
    package private(set) var running: [UInt64: Bool] = [:]
    /// The last that were completed, the newest last.
    package private(set) var completed: [TaskCompletion] = []
    /// How many of those are kept: more than a daemon that was gone for a moment can have missed.
    private static let memory = 100

    package init() {}

    /// The daemon wants a task to be run. A new one counts as running from here on.
    package mutating func start(_ number: UInt64) -> Start {
        if let completion = completion(of: number) { return .completed(completion) }
        if let isEntered = running[number] { return .running(isEntered: isEntered) }
        running[number] = false
        return .new
    }

    /// The task's handler is about to be called; false when it must not be, since the task was completed before.
    package mutating func enter(_ number: UInt64) -> Bool {
        guard running[number] != nil else { return false }
        running[number] = true
        return true
    }

    /// The task is over; false when it was before.
    package mutating func complete(_ completion: TaskCompletion) -> Bool {
        guard running.removeValue(forKey: completion.number) != nil else { return false }
        if completed.count == Self.memory { completed.removeFirst() }
        completed.append(completion)
        return true
    }

    /// The task has no handler here.
    package mutating func forget(_ number: UInt64) { running[number] = nil }

    package func completion(of number: UInt64) -> TaskCompletion? { completed.last { $0.number == number } }
}
