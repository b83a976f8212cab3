// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Running tasks, and the numbers of runs: each request has one, and so does every other errand of an app's life cycle.
package struct TaskRuns {
    private var runs: [UInt64: TaskRun] = [:]
    private var nextNumber: UInt64
    private var nextErrandNumber: UInt64
    /// The numbers of errands that an earlier daemon has left in the store.
    private var keptErrands: Set<UInt64> = []
    /// How many runs have ended or were interrupted during this daemon.
    package private(set) var endings = 0

    /// The numbers available to errands in each second of the boot-time clock: more than any daemon can use.
    private static let errandsPerSecond = 65_536.0

    /// - Parameters:
    ///   - nextNumber: greater than the number of every request so far.
    ///   - uptime: when the daemon has started, in seconds on the boot-time clock.
    package init(nextNumber: UInt64, startedAt uptime: Double) {
        self.nextNumber = nextNumber
        // The store does not record the numbers of errands, but apps' processes remember them. The processes end with
        // the boot, in which the clock never goes back: no earlier daemon has reached the number that this one starts
        // with.
        // checked: our own clock, which does not come to 2^48 seconds
        nextErrandNumber = TaskLaunch.firstErrandNumber + UInt64(max(0, uptime) * Self.errandsPerSecond)
    }

    // MARK: Numbers

    /// An unused number for a request, which is durable before its run begins.
    package mutating func makeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// A number for an errand that no daemon has used since the machine was started.
    package mutating func makeErrandNumber() -> UInt64 {
        while keptErrands.contains(nextErrandNumber) { nextErrandNumber += 1 }
        defer { nextErrandNumber += 1 }
        return nextErrandNumber
    }

    /// The store has an errand with this number, perhaps of an earlier boot.
    package mutating func keepErrand(_ number: UInt64) {
        keptErrands.insert(number)
        // Earlier versions gave errands the numbers of requests.
        avoid(number)
    }

    /// An app's process remembers a task with this number. After the loss of a store it may be one that has not been
    /// used yet: the process would confuse the new task with the old one.
    package mutating func avoid(_ number: UInt64) {
        // No request has a greater one, whatever a process claims.
        guard number < TaskLaunch.firstErrandNumber else { return }
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

    // MARK: Runs that the schedule knows

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
