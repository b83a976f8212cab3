// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TaskForecastTests {
    private static let week = 7 * 86_400.0

    private typealias Start = (number: UInt64, at: Double, reason: TaskReason.Cause)

    private func starts(_ stage: TaskStage, limit: Int = 100) -> [Start] {
        stage.schedule.forecast(seconds: Self.week, now: stage.now, limit: limit).map {
            ($0.number, ($0.date.timeIntervalSince(Fixture.start) * 1000).rounded() / 1000, $0.reason)
        }
    }

    @Test func `each request is begun when it is due, in that order`() {
        var stage = TaskStage()
        let late = stage.submit(.processing, begin: 7200)
        let early = stage.submit(begin: 60)
        let never = stage.submit(begin: 8 * 86_400)
        let found = starts(stage)
        #expect(found.map(\.number) == [early, late])
        #expect(found.map(\.at) == [60, 7200])
        #expect(found.map(\.reason) == [.earliestBegin, .earliestBegin])
        #expect(starts(stage, limit: 1).map(\.number) == [early])
        #expect(stage.cause(never) == .earliestBegin)
        #expect(stage.cause(early) == .earliestBegin)
    }

    @Test func `as many at once as may run, each for what its app usually takes`() {
        var policy = TaskPolicy()
        policy.runningLimit = 1
        var stage = TaskStage(policy)
        let known = stage.submit(app: "org.example.news")
        stage.run(known, seconds: 20)
        let running = stage.submit(app: "org.example.news")
        stage.handle(.entered(running))
        stage.passQuietly(4)
        let next = stage.submit()
        let last = stage.submit(app: "org.example.news")
        let found = starts(stage)
        #expect(found.map(\.number) == [next, last])
        #expect(found.map(\.at) == [40, 45])
        #expect(found.map(\.reason) == [.othersRun(running: 1, limit: 1), .othersRun(running: 1, limit: 1)])
    }

    @Test func `conditions and holds stay, and a backoff and a pause end`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        stage.handle(.app("org.example.news", .backedOff(until: 5100, crashes: 2)))
        stage.handle(.app("org.example.gone", .quit))
        stage.submit(.processing)
        stage.submit(app: "org.example.gone")
        let backedOff = stage.submit(app: "org.example.news")
        let pausing = stage.submit(attempts: 2)
        let found = starts(stage)
        #expect(found.map(\.number) == [pausing, backedOff])
        #expect(found.map(\.at) == [10, 100])
        #expect(found.map(\.reason) == [.retry(attempts: 2), .appBackedOff(crashes: 2)])
    }

    @Test func `a spent budget is waited for`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 864
        policy.refreshSeconds = 1000
        var stage = TaskStage(policy)
        let first = stage.submit()
        stage.run(first, seconds: 1000)
        let task = stage.submit()
        let found = starts(stage)
        #expect(found.map(\.number) == [task])
        let at = try #require(found.first?.at)
        #expect(abs(at - (1000 + (1000 - 864 - 10) * 100)) < 0.1)
        #expect(found.first?.reason == .budgetSpent(seconds: 864))
    }
}
