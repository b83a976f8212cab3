// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// A schedule, and the clocks that its tests set.
struct TaskStage {
    private(set) var schedule: TaskSchedule
    /// Seconds since the start on the boot-time clock.
    private(set) var time = 0.0
    /// How far the wall clock was set ahead.
    private var jumped = 0.0
    private var nextNumber: UInt64 = 1
    /// The schedule's latest actions.
    private(set) var actions: [TaskScheduleAction] = []

    static let app = "org.example.mail"

    init(_ policy: TaskPolicy = TaskPolicy(), conditions: MachineConditions = MachineConditions()) {
        schedule = TaskSchedule(policy: policy, conditions: conditions, now: Fixture.moment(0))
    }

    var now: Moment { moment(time) }

    /// A moment of this boot, with the wall clock as currently set.
    func moment(_ seconds: Double) -> Moment {
        var moment = Fixture.moment(seconds)
        moment.wall += jumped
        return moment
    }

    /// The date so many seconds after the start, if the wall clock had never been set.
    func date(_ seconds: Double) -> Date { Fixture.start + seconds }

    @discardableResult mutating func handle(_ event: TaskScheduleEvent) -> [TaskScheduleAction] {
        actions = schedule.handle(event, now: now)
        return actions
    }

    /// Lets time pass, and reports that it has.
    @discardableResult mutating func pass(_ seconds: Double) -> [TaskScheduleAction] {
        time += seconds
        return handle(.timeIsUp)
    }

    /// Lets time pass until the next event.
    mutating func passQuietly(_ seconds: Double) { time += seconds }

    mutating func setWallClock(ahead seconds: Double) -> [TaskScheduleAction] {
        jumped += seconds
        return handle(.timeIsUp)
    }

    /// Submits a request now.
    /// - Returns: its number.
    @discardableResult mutating func submit(
        _ kind: TaskRequest.Kind = .refresh,
        _ identifier: String? = nil,
        app: String = TaskStage.app,
        begin: Double? = nil,
        network: Bool = false,
        power: Bool = false,
        attempts: Int = 0,
        phase: TaskRecord.Phase = .pending
    ) -> UInt64 {
        let number = nextNumber
        nextNumber += 1
        let request = TaskRequest(
            number: number,
            app: app,
            identifier: identifier ?? "task-\(number)",
            kind: kind,
            earliestBegin: begin.map(date),
            requiresNetwork: network,
            requiresExternalPower: power,
            title: kind == .continued ? "Export" : "",
            subtitle: kind == .continued ? "Three films" : "",
            submitted: now
        )
        handle(.added(TaskRecord(request: request, phase: phase, attempts: attempts)))
        return number
    }

    /// Lets a task run for so many seconds from now on.
    mutating func run(_ number: UInt64, seconds: Double) {
        handle(.entered(number))
        passQuietly(seconds)
        handle(.ended(number))
    }

    mutating func recall(_ use: TaskBudgetUse) { schedule.recall(use, now: now) }

    func why(_ number: UInt64) -> TaskReason? { schedule.why(number, now: now) }

    func cause(_ number: UInt64) -> TaskReason.Cause? { why(number)?.cause }

    /// When the reason began, in seconds after the start, by the wall clock as currently set.
    func since(_ number: UInt64) -> Double? {
        why(number).map { rounded($0.since.timeIntervalSince(Fixture.start) - jumped) }
    }

    /// When the task is looked at next, in seconds after the start, by the wall clock as currently set.
    func nextLook(_ number: UInt64) -> Double? {
        why(number)?.nextLook.map { rounded($0.timeIntervalSince(Fixture.start) - jumped) }
    }

    /// When the schedule wants its next look by the boot-time clock, in seconds after the start.
    var uptimeLook: Double? { schedule.nextLook.uptime.map { rounded($0 - Fixture.moment(0).uptime) } }

    /// When the schedule wants its next look by the wall clock, in seconds after the start as it was set then.
    var wallLook: Double? {
        schedule.nextLook.wall.map { rounded($0 - Fixture.start.timeIntervalSince1970) }
    }

    /// Rounds to milliseconds: after arithmetic, dates are not more exact than that.
    private func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

    var started: [UInt64] {
        actions.compactMap { if case .start(let number) = $0 { number } else { nil } }
    }
}
