// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Running tasks, and the numbers of runs: each request has one, and so has every other errand of an app's life cycle.
package struct TaskRuns {
    private var runs: [UInt64: TaskRun] = [:]
    private var nextNumber: UInt64
    /// How many have ended or were interrupted during this daemon.
    package private(set) var endings = 0

    /// Greater than any real number, whatever a process claims.
    private static let highestNumber: UInt64 = 1 << 48

    /// - Parameter nextNumber: greater than every number ever used.
    package init(nextNumber: UInt64) { self.nextNumber = nextNumber }

    // MARK: Numbers

    /// An unused number.
    package mutating func makeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// An app's process remembers a task with this number. After the loss of a store it may be one that has not been
    /// used yet: the process would confuse the new task with the old one.
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

    /// Removes a run that has ended.
    package mutating func end(_ number: UInt64) -> TaskRun? {
        guard let run = runs.removeValue(forKey: number) else { return nil }
        endings += 1
        return run
    }

    /// Removes a run that had no result; it counts if its handler was entered.
    package mutating func giveUp(_ number: UInt64) -> TaskRun? {
        guard let run = runs.removeValue(forKey: number) else { return nil }
        if run.hasEntered { endings += 1 }
        return run
    }

    // MARK: With what the schedule knows of them

    /// The records of running tasks, by number; of one app, if given.
    package func records(in schedule: TaskSchedule, app: String? = nil) -> [TaskRecord] {
        numbers.compactMap { schedule.record($0) }.filter { app == nil || $0.request.app == app }
    }

    /// An app's tasks whose handlers have not been entered, as far as is known; of one identifier, if given.
    package func starting(_ identifier: String?, of app: String, in schedule: TaskSchedule) -> [TaskRecord] {
        records(in: schedule, app: app).filter { record in
            runs[record.request.number]?.hasEntered == false
                && (identifier == nil || record.request.identifier == identifier)
        }
    }

    /// The number of continued processing tasks.
    package func continuedCount(in schedule: TaskSchedule) -> Int {
        runs.keys.count { schedule.record($0)?.request.kind == .continued }
    }

    /// Whether none is under way, except continued processing, which takes any time.
    package func isAtRest(in schedule: TaskSchedule) -> Bool {
        runs.keys.allSatisfy { schedule.record($0)?.request.kind == .continued }
    }
}
