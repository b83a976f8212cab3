// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// Guards against work and memory that grow with the number of pending requests. The time limits leave room for a
/// debug build on a slow machine.
@Suite(.serialized) struct TaskScheduleScaleTests {
    /// In a debug build, fewer requests show what these tests guard against.
    #if DEBUG
        private static let many = 25_000
    #else
        private static let many = 100_000
    #endif
    private static let nothing = MachineConditions(isDiskFull: true)

    /// A hundred apps' requests: a third are refresh tasks, and half have a begin date.
    private static func request(_ number: UInt64, begin: Double? = nil) -> TaskRequest {
        let app = "org.example.app\(number % 100)"
        let isDated = number.isMultiple(of: 2)
        return TaskRequest(
            number: number,
            app: app,
            identifier: "\(app).task.\(number)",
            kind: number.isMultiple(of: 3) ? .refresh : .processing,
            earliestBegin: (begin ?? (isDated ? Double(number % 1000) : nil)).map { Fixture.start + $0 },
            requiresNetwork: number.isMultiple(of: 5),
            submitted: Fixture.moment(0)
        )
    }

    /// A schedule that may start nothing; `begin` gives a request's begin date, in seconds after the start.
    private static func schedule(of count: Int, begin: (UInt64) -> Double? = { _ in nil }) -> TaskSchedule {
        var schedule = TaskSchedule(policy: TaskPolicy(), conditions: nothing, now: Fixture.moment(0))
        for number in 1...UInt64(count) {
            let record = TaskRecord(request: request(number, begin: begin(number)))
            _ = schedule.handle(.added(record), now: Fixture.moment(0))
        }
        return schedule
    }

    /// The least of several times, to exclude the machine's other work.
    private func least(of times: Int, _ body: (Int) -> Void) -> Duration {
        (0..<times).map { index in ThreadTime.measure { body(index) } }.min() ?? .zero
    }

    /// Runs in its own process, so that only the schedule is measured. Not an exit test: the thread that waits for exit
    /// tests asks for any child of the tests, and sees no other while one is left that nobody waits for.
    @Test func `a hundred thousand requests are small`() throws {
        let result = try ChildProcess(try BuiltProducts.path("PendingRequests")).result()
        let bytes = try #require(result.lines.first.flatMap { Int($0) }, "\(result)")
        #expect((1...1024).contains(bytes), "a request takes \(bytes) bytes")
    }

    @Test func `each decision among many requests is quick`() {
        let count = Self.many
        var schedule = Self.schedule(of: count)
        let limit = Duration.milliseconds(5)
        for second in 1...1000 { _ = schedule.handle(.timeIsUp, now: Fixture.moment(Double(second))) }
        let change = least(of: 5) { _ in
            _ = schedule.handle(.conditions(Self.nothing), now: Fixture.moment(1001))
            _ = schedule.handle(.conditions(MachineConditions(network: .none, isBusy: true)), now: Fixture.moment(1001))
        }
        #expect(change < limit, "two changes of conditions took \(change)")
        var running =
            schedule.handle(.conditions(MachineConditions()), now: Fixture.moment(1001))
            + schedule.numbers(app: nil, limit: 4).map { .start($0) }
        let ends = least(of: 100) { turn in
            guard case .start(let task)? = running.popLast() else { return }
            let now = Fixture.moment(1002 + Double(turn))
            _ = schedule.handle(.entered(task), now: now)
            running += schedule.handle(.ended(task), now: now)
        }
        #expect(schedule.count <= count - 100)
        #expect(ends < limit, "the begin and end of a run took \(ends)")
        let reasons = least(of: 20) { turn in
            _ = schedule.why(UInt64(turn * 900 + 1), now: Fixture.moment(2000))
        }
        #expect(reasons < limit, "a reason took \(reasons)")
    }

    @Test(arguments: [true, false])
    func `a date that comes for all, and a clock that is set past all dates, move apps and not requests`(
        isOneDate: Bool
    ) throws {
        let count = Self.many
        // The higher the number, the earlier the date; among equal dates, the lowest number comes first.
        var schedule = Self.schedule(of: count) { 1000 + Double(isOneDate ? count : count - Int($0)) }
        let first = isOneDate ? [1, 2, 3, 4] : [0, 1, 2, 3].map { UInt64(count - $0) }
        let early = Fixture.moment(10)
        var late = early
        late.wall = Fixture.start + 1000 + Double(count)
        let next = Fixture.start + 1000 + (isOneDate ? Double(count) : 0)
        #expect(schedule.nextLook.wall == next.timeIntervalSince1970)
        _ = schedule.handle(.timeIsUp, now: early)
        #expect(schedule.why(7, now: early)?.cause == .earliestBegin)
        let took = least(of: 5) { _ in
            _ = schedule.handle(.timeIsUp, now: late)
            _ = schedule.handle(.timeIsUp, now: early)
        }
        #expect(took < .milliseconds(50), "it took \(took)")
        #expect(schedule.why(7, now: early)?.cause == .earliestBegin)
        _ = schedule.handle(.timeIsUp, now: late)
        #expect(schedule.nextLook == (nil, nil))
        #expect(schedule.why(7, now: late)?.cause == .diskFull)
        #expect(schedule.numbers(app: nil, limit: 4) == first)
        #expect(schedule.forecast(seconds: 10, now: late, limit: 9).isEmpty)
        #expect(schedule.handle(.conditions(MachineConditions()), now: late) == first.map { .start($0) })
        let following = schedule.numbers(app: nil, limit: 8).dropFirst(4)
        #expect(schedule.forecast(seconds: 5, now: late, limit: 4).map(\.number) == Array(following))
        #expect(schedule.count == count)
    }
}
