// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageWork
import Testing

@Suite struct `Tasks that were begun` {
    private static let now = Moment(wall: Date(timeIntervalSince1970: 1_700_000_000), bootID: "boot", uptime: 100)

    private var runs = TaskRuns(nextNumber: 5, startedAt: 100)

    @Test mutating func `numbers are given once, and above what an app remembers`() {
        let first = [runs.makeNumber(), runs.makeNumber()]
        #expect(first == [5, 6])
        runs.avoid(3)
        let next = runs.makeNumber()
        #expect(next == 7)
        runs.avoid(40)
        let higher = runs.makeNumber()
        #expect(higher == 41)
        // No store reaches this number: the process is wrong.
        runs.avoid(1 << 48)
        runs.avoid(.max)
        let last = runs.makeNumber()
        #expect(last == 42)
    }

    @Test mutating func `an errand has a number that no daemon of this boot has given before`() {
        let own = [runs.makeErrandNumber(), runs.makeErrandNumber()]
        #expect(own[1] == own[0] + 1)
        #expect(own[0] > TaskLaunch.firstErrandNumber)
        // The store does not have them, so its next number is the same.
        var next = TaskRuns(nextNumber: 5, startedAt: 101)
        let later = next.makeErrandNumber()
        #expect(later > own[1] + 10_000)
        // Requests have their own numbers.
        let request = next.makeNumber()
        #expect(request == 5)
    }

    @Test mutating func `the number of an errand that the store still has is given to nothing else`() {
        var before = TaskRuns(nextNumber: 5, startedAt: 100)
        let kept = [before.makeErrandNumber(), before.makeErrandNumber()]
        for number in kept { runs.keepErrand(number) }
        let next = runs.makeErrandNumber()
        #expect(next == kept[1] + 1)
        // An earlier version took the number from those of requests.
        runs.keepErrand(8)
        let request = runs.makeNumber()
        #expect(request == 9)
    }

    @Test mutating func `an end counts, and what came to nothing only once its handler was entered`() {
        for number: UInt64 in 1...3 { runs[number] = TaskRun(since: Self.now, hasEntered: number == 2) }
        #expect(runs.numbers == [1, 2, 3])
        let given = [runs.giveUp(1) != nil, runs.giveUp(2) != nil, runs.giveUp(2) != nil]
        #expect(given == [true, true, false])
        #expect(runs.endings == 1)
        let ended = [runs.end(3) != nil, runs.end(3) != nil]
        #expect(ended == [true, false])
        #expect(runs.endings == 2)
        #expect(runs.numbers.isEmpty)
    }

    @Test mutating func `what is starting is told from what runs, and work from continued processing`() {
        var schedule = TaskSchedule(policy: TaskPolicy(), conditions: MachineConditions(), now: Self.now)
        func add(_ number: UInt64, _ app: String, _ identifier: String, _ kind: TaskRequest.Kind, hasEntered: Bool) {
            let request = TaskRequest(number: number, app: app, identifier: identifier, kind: kind, submitted: Self.now)
            _ = schedule.handle(.added(TaskRecord(request: request)), now: Self.now)
            runs[number] = TaskRun(since: Self.now, hasEntered: hasEntered)
        }
        add(2, "a", "video", .continued, hasEntered: true)
        #expect(runs.isAtRest(in: schedule))
        add(1, "a", "sync", .processing, hasEntered: false)
        add(3, "a", "scan", .processing, hasEntered: false)
        add(4, "b", "sync", .processing, hasEntered: true)
        #expect(!runs.isAtRest(in: schedule))
        #expect(runs.continuedCount(in: schedule) == 1)
        #expect(runs.records(in: schedule, app: "a").map(\.request.number) == [1, 2, 3])
        #expect(runs.starting(nil, of: "a", in: schedule).map(\.request.number) == [1, 3])
        #expect(runs.starting("scan", of: "a", in: schedule).map(\.request.number) == [3])
        #expect(runs.starting("sync", of: "b", in: schedule).isEmpty)
    }
}
