// SPDX-License-Identifier: Apache-2.0

/// Starting and running tasks, by number, and the counts of tasks that share a limit.
struct TaskScheduleRuns: Sendable {
    private(set) var all: [UInt64: TaskScheduleRun] = [:]
    private(set) var counted = 0
    private(set) var continued = 0

    subscript(_ number: UInt64) -> TaskScheduleRun? { all[number] }

    mutating func begin(_ number: UInt64, _ run: TaskScheduleRun, isContinued: Bool) {
        all[number] = run
        if isContinued { continued += 1 } else { counted += 1 }
    }

    mutating func enter(_ number: UInt64, since: Moment, chargedUntil end: Double?) {
        all[number]?.hasEntered = true
        all[number]?.since = since
        all[number]?.chargedUntil = end
    }

    mutating func askToEnd(_ number: UInt64) { all[number]?.isToldToEnd = true }

    mutating func end(_ number: UInt64, isContinued: Bool) -> TaskScheduleRun? {
        guard let run = all.removeValue(forKey: number) else { return nil }
        if isContinued { continued -= 1 } else { counted -= 1 }
        return run
    }
}

/// A request that is starting or running.
struct TaskScheduleRun: Sendable {
    var slot: Int32
    /// The time of its start, or when the handler was entered.
    var since: Moment
    var hasEntered = false
    /// When it stops using its app's budget, on the boot-time clock; nil if not before its end.
    var chargedUntil: Double?
    /// Whether it was forced: no hold ends it, either.
    var isForced: Bool
    var isToldToEnd = false
}
