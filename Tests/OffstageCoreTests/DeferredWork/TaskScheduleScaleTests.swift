// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Guards against work and memory that grow with what is pending: the limits leave room for a debug build on a busy
/// machine, and for what other tests take meanwhile.
@Suite(.serialized) struct TaskScheduleScaleTests {
    private static let count = 100_000

    /// Bytes of memory of the process that no file is behind.
    private static func anonymousBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") })
        let kibibytes = try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return kibibytes * 1024
    }

    private func request(_ number: UInt64) -> TaskRequest {
        let app = "org.example.app\(number % 100)"
        return TaskRequest(
            number: number,
            app: app,
            identifier: "\(app).task.\(number)",
            kind: number.isMultiple(of: 3) ? .refresh : .processing,
            earliestBegin: number.isMultiple(of: 2) ? Fixture.start + Double(number % 1000) : nil,
            requiresNetwork: number.isMultiple(of: 5),
            submitted: Fixture.moment(0)
        )
    }

    /// The least of several times: what the machine does beside is not meant.
    private func least(of times: Int, _ body: (Int) -> Void) -> Duration {
        let clock = ContinuousClock()
        return (0..<times).map { index in clock.measure { body(index) } }.min() ?? .zero
    }

    @Test func `a hundred thousand requests are small, and each decision is quick`() throws {
        let nothing = MachineConditions(isDiskFull: true)
        var schedule = TaskSchedule(policy: TaskPolicy(), conditions: nothing, now: Fixture.moment(0))
        let before = try Self.anonymousBytes()
        for number in 1...UInt64(Self.count) {
            _ = schedule.handle(.added(TaskRecord(request: request(number))), now: Fixture.moment(0))
        }
        let bytes = (try Self.anonymousBytes() - before) / Self.count
        #expect(bytes <= 450, "a request takes \(bytes) bytes")
        #expect(schedule.count == Self.count)
        let limit = Duration.milliseconds(5)
        for second in 1...1000 { _ = schedule.handle(.timeIsUp, now: Fixture.moment(Double(second))) }
        let change = least(of: 5) { _ in
            _ = schedule.handle(.conditions(nothing), now: Fixture.moment(1001))
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
        #expect(schedule.count <= Self.count - 100)
        #expect(ends < limit, "the begin and end of a run took \(ends)")
        let reasons = least(of: 20) { turn in
            _ = schedule.why(UInt64(turn * 5000 + 1), now: Fixture.moment(2000))
        }
        #expect(reasons < limit, "a reason took \(reasons)")
    }
}
