// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The schedule of deferred work, driven by arbitrary requests, conditions and times, and queried in between.
enum TaskScheduleTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        var now = fuzzStart
        var schedule = TaskSchedule(policy: TaskPolicy(), conditions: MachineConditions(), now: now)
        var number: UInt64 = 0
        while !input.isAtEnd {
            now = input.moment(after: now)
            number += 1
            let wasUnderWay = schedule.underWay
            let actions = schedule.handle(event(number, &input, now), now: now)
            for case .start(let started) in actions {
                promise(!wasUnderWay.contains(started), "\(started) begins twice")
                promise(schedule.underWay.contains(started), "\(started) was begun and does not run")
            }
            promise(schedule.count >= schedule.underWay.count, "more run than there are")
            if input.byte() > 230 { ask(schedule, now) }
        }
        ask(schedule, now)
    }

    private static func ask(_ schedule: TaskSchedule, _ now: Moment) {
        let numbers = schedule.numbers(app: nil, limit: 20)
        promise(numbers.count == min(20, schedule.count), "\(numbers.count) of \(schedule.count) are listed")
        for number in numbers {
            guard let record = schedule.record(number) else { return promise(false, "\(number) is not there") }
            promise(record.request.number == number, "\(number) is another request")
            _ = schedule.why(number, now: now)
        }
        for app in schedule.apps {
            _ = schedule.budgetLeft(of: app, now: now)
            promise((schedule.budgetUse(of: app, now: now)?.used ?? 0) >= 0, "less than nothing was used")
        }
        _ = schedule.forecast(seconds: 3600, now: now, limit: 10)
    }

    private static func event(_ number: UInt64, _ input: inout FuzzInput, _ now: Moment) -> TaskScheduleEvent {
        switch input.choice(14) {
        case 0, 1, 2, 3: .added(record(number, &input, now))
        case 4: .removed(known(number, &input))
        case 5: .entered(known(number, &input))
        case 6: .ended(known(number, &input))
        case 7: .returned(known(number, &input))
        case 8: .conditions(conditions(&input))
        case 9: .policy(policy(&input))
        case 10: .app(app(&input), hold(&input, now))
        case 11: .force(known(number, &input))
        default: .timeIsUp
        }
    }

    private static func known(_ number: UInt64, _ input: inout FuzzInput) -> UInt64 {
        UInt64(input.byte()) % (number + 1)
    }

    private static func app(_ input: inout FuzzInput) -> String { ["a", "b", "c"][input.choice(3)] }

    private static func record(_ number: UInt64, _ input: inout FuzzInput, _ now: Moment) -> TaskRecord {
        let code = input.byte()
        let kinds = TaskRequest.Kind.allCases
        let request = TaskRequest(
            number: number,
            app: app(&input),
            identifier: ["x", "y", "z"][input.choice(3)],
            kind: kinds[input.choice(kinds.count)],
            earliestBegin: code & 1 == 1 ? now.wall.addingTimeInterval(input.number()) : nil,
            requiresNetwork: code & 2 == 2,
            requiresExternalPower: code & 4 == 4,
            submitted: now
        )
        let phase: TaskRecord.Phase =
            code & 24 == 8 ? .starting(since: now) : code & 24 == 16 ? .running(since: now) : .pending
        return TaskRecord(request: request, phase: phase, attempts: code & 32 == 32 ? Int(input.count()) : 0)
    }

    private static func conditions(_ input: inout FuzzInput) -> MachineConditions {
        let code = input.byte()
        return MachineConditions(
            network: code & 3 == 0 ? .none : code & 3 == 1 ? .metered : .unmetered,
            hasExternalPower: code & 4 == 0,
            batteryCharge: code & 8 == 8 ? Double(input.byte()) / 255 : nil,
            isBusy: code & 16 == 16,
            isDiskFull: code & 32 == 32
        )
    }

    private static func policy(_ input: inout FuzzInput) -> TaskPolicy {
        var policy = input.bool() ? TaskPolicy() : .strict
        policy.runningLimit = 1 + Int(input.byte() & 7)
        policy.dailySeconds = 1 + Double(input.byte()) * 300
        policy.isRefreshOn = input.bool()
        if input.bool() { policy.refreshExceptions = [app(&input)] }
        return policy
    }

    private static func hold(_ input: inout FuzzInput, _ now: Moment) -> AppHold? {
        switch input.choice(4) {
        case 0: .quit
        case 1: .backedOff(until: now.uptime + Double(input.byte()), crashes: Int(input.byte()))
        case 2: .ending
        default: nil
        }
    }
}
