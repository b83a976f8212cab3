// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Tasks that were begun, and the numbers of runs: each request has one, and so has whatever else an app's life runs.
package struct TaskRuns {
    private var runs: [UInt64: TaskRun] = [:]
    private var nextNumber: UInt64
    /// How many have ended in this daemon's time, or were interrupted.
    package private(set) var endings = 0

    /// What no store comes to, whatever a process claims.
    private static let highestNumber: UInt64 = 1 << 48

    /// - Parameter nextNumber: greater than every number that was ever given.
    package init(nextNumber: UInt64) { self.nextNumber = nextNumber }

    // MARK: Numbers

    /// A number that nobody else has.
    package mutating func makeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// An app's process remembers a task of this number. In a store that was begun anew it may be one that is still to be
    /// given: the process would take the new task for the old one.
    package mutating func avoid(_ number: UInt64) {
        guard number < Self.highestNumber else { return }
        nextNumber = max(nextNumber, number + 1)
    }

    // MARK: Runs

    package var numbers: [UInt64] { runs.keys.sorted() }

    package subscript(number: UInt64) -> TaskRun? {
        get { runs[number] }
        set { runs[number] = newValue }
    }

    /// Takes a run out that is over.
    package mutating func end(_ number: UInt64) -> TaskRun? {
        guard let run = runs.removeValue(forKey: number) else { return nil }
        endings += 1
        return run
    }

    /// Takes a run out that has come to nothing; it counts as one when its handler was entered.
    package mutating func giveUp(_ number: UInt64) -> TaskRun? {
        guard let run = runs.removeValue(forKey: number) else { return nil }
        if run.hasEntered { endings += 1 }
        return run
    }

    // MARK: With what the schedule knows of them

    /// The records of those that were begun, by number; of one app when that is given.
    package func records(in schedule: TaskSchedule, app: String? = nil) -> [TaskRecord] {
        numbers.compactMap { schedule.record($0) }.filter { app == nil || $0.request.app == app }
    }

    /// An app's tasks whose handlers have not been entered, as far as is known; of one identifier if that is given.
    package func starting(_ identifier: String?, of app: String, in schedule: TaskSchedule) -> [TaskRecord] {
        records(in: schedule, app: app).filter { record in
            runs[record.request.number]?.hasEntered == false
                && (identifier == nil || record.request.identifier == identifier)
        }
    }

    /// How many are continued processing.
    package func continuedCount(in schedule: TaskSchedule) -> Int {
        runs.keys.count { schedule.record($0)?.request.kind == .continued }
    }

    /// Whether none is under way, but for continued processing, which takes as long as it wants.
    package func isAtRest(in schedule: TaskSchedule) -> Bool {
        runs.keys.allSatisfy { schedule.record($0)?.request.kind == .continued }
    }
}
