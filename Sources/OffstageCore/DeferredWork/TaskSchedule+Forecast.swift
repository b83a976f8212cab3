// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A forecast: a copy of the schedule, run forward in virtual time by its own decisions.
extension TaskSchedule {
    /// The assumed seconds of a run if nothing is known about its app.
    private static let assumedSeconds = 5.0

    /// The upcoming starts, if nothing changes: conditions and settings stay as they are, an app in back-off is
    /// released when its pause is over, each run takes as long as its app's recent runs, and no request is submitted
    /// again.
    ///
    /// - Parameters:
    ///   - seconds: how far to look ahead.
    ///   - now: not before the last event.
    ///   - limit: the maximum number of starts.
    /// - Returns: the starts, earliest first.
    package func forecast(seconds: Double, now: Moment, limit: Int) -> [TaskForecast] {
        var run = TaskScheduleForecast(self, now: now, seconds: seconds, limit: limit)
        return run.starts()
    }

    /// Copies the requests, apps and queues that it shares with the original schedule. Otherwise the original's next
    /// change would copy all of them, on the loop.
    package mutating func unshare() {
        slots.all.withUnsafeMutableBufferPointer { _ in }
        appList.withUnsafeMutableBufferPointer { _ in }
        queues.all.withUnsafeMutableBufferPointer { _ in }
    }

    func typicalSeconds(_ slot: Int32) -> Double {
        let known = appList[Int(slots[Int(slot)].app)].typicalSeconds ?? Self.assumedSeconds
        return max(0.001, min(known, policy.seconds(for: slots[Int(slot)].kind) ?? known))
    }
}

/// A schedule that is run forward.
private struct TaskScheduleForecast {
    private var schedule: TaskSchedule
    private var moment: Moment
    private let end: Double
    private let limit: Int
    /// The expected ends of running tasks, on the boot-time clock.
    private var ends: [(time: Double, number: UInt64)] = []
    private var found: [TaskForecast] = []

    init(_ schedule: TaskSchedule, now: Moment, seconds: Double, limit: Int) {
        self.schedule = schedule
        moment = now
        end = now.uptime + seconds
        self.limit = limit
        for (number, run) in schedule.runs.all {
            let began = now.uptime - now.seconds(since: run.since)
            ends.append((max(now.uptime, began + schedule.typicalSeconds(run.slot)), number))
        }
    }

    mutating func starts() -> [TaskForecast] {
        step(.timeIsUp)
        while found.count < limit, let next = nextTime(), next.uptime <= end {
            moment = next
            let due = ends.filter { $0.time <= next.uptime }.map(\.number).sorted()
            ends.removeAll { $0.time <= next.uptime }
            for number in due { step(.ended(number)) }
            if due.isEmpty { step(.timeIsUp) }
        }
        return Array(found.prefix(limit))
    }

    /// The next time at which something is due.
    private func nextTime() -> Moment? {
        let look = schedule.nextLook
        var next: Moment?
        func consider(_ uptime: Double, _ wall: Date) {
            if let next, next.uptime <= uptime { return }
            next = Moment(wall: wall, bootID: moment.bootID, uptime: max(moment.uptime, uptime))
        }
        if let wall = look.wall {
            // The date itself, because adding a difference to the present date would round it.
            let date = Date(timeIntervalSince1970: wall)
            consider(moment.uptime + date.timeIntervalSince(moment.wall), date)
        }
        for time in [look.uptime, ends.map(\.time).min()] {
            if let time { consider(time, moment.wall.addingTimeInterval(max(0, time - moment.uptime))) }
        }
        return next
    }

    private mutating func step(_ event: TaskScheduleEvent) {
        let before = TaskScheduleBefore(schedule)
        for action in schedule.handle(event, now: moment) {
            guard case .start(let number) = action, let run = schedule.runs[number] else { continue }
            let slot = schedule.slots[Int(run.slot)]
            found.append(
                TaskForecast(
                    number: number,
                    app: schedule.appList[Int(slot.app)].id,
                    identifier: slot.identifier,
                    kind: slot.kind,
                    date: moment.wall,
                    reason: cause(slot, before: before)
                )
            )
            // Forecast runs begin when they start, because the duration of a launch is unknown.
            schedule.enter(number, since: moment)
            ends.append((moment.uptime + schedule.typicalSeconds(run.slot), number))
        }
    }

    /// The last reason why a task that starts now had to wait.
    private func cause(_ slot: TaskScheduleSlot, before: TaskScheduleBefore) -> TaskReason.Cause {
        if slot.begin > before.wall { return .earliestBegin }
        let app = schedule.appList[Int(slot.app)]
        if case .backedOff(let until, let crashes) = app.hold, slot.kind != .continued, until > before.uptime {
            return .appBackedOff(crashes: crashes)
        }
        if slot.kind == .continued ? before.isFullContinued : before.isFull {
            let policy = schedule.policy
            let limit = slot.kind == .continued ? policy.runningContinuedLimit : policy.runningLimit
            return .othersRun(running: limit, limit: limit)
        }
        // The budget never refills as fast as a run uses it, so such a small remainder was just refilled.
        if app.budget.left(at: moment.uptime) < 0.001 { return .budgetSpent(seconds: schedule.policy.dailySeconds) }
        return slot.attempts > 0 ? .retry(attempts: slot.attempts) : .starting
    }
}

/// The state of a schedule before an event.
private struct TaskScheduleBefore {
    var uptime: Double
    var wall: Double
    var isFull: Bool
    var isFullContinued: Bool

    init(_ schedule: TaskSchedule) {
        uptime = schedule.now.uptime
        wall = schedule.now.wall.timeIntervalSinceReferenceDate
        isFull = schedule.runs.counted >= schedule.policy.runningLimit
        isFullContinued = schedule.runs.continued >= schedule.policy.runningContinuedLimit
    }
}
