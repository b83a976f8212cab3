// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Who goes first, and what an app's budget is.
@Suite struct TaskScheduleFairnessTests {
    private static let news = "org.example.news"
    private static let single: TaskPolicy = {
        var policy = TaskPolicy()
        policy.runningLimit = 1
        return policy
    }()

    /// Lets whatever is due run for so many seconds each, and tells the apps in the order in which they did.
    private func order(_ stage: inout TaskStage, seconds: Double) -> [String] {
        var apps: [String] = []
        var started = stage.started
        while let task = started.first {
            apps.append(stage.schedule.record(task)?.request.app ?? "?")
            stage.run(task, seconds: seconds)
            started = stage.started
        }
        return apps
    }

    @Test func `the one that has been due longest goes first, then the lowest number`() {
        var stage = TaskStage(Self.single, conditions: MachineConditions(isBusy: true))
        let second = stage.submit(.processing, begin: 20)
        let third = stage.submit(.processing, begin: 20, network: true)
        let first = stage.submit(.processing, begin: 10)
        stage.pass(30)
        let last = stage.submit(.processing)
        #expect(stage.handle(.conditions(MachineConditions())) == [.start(first)])
        #expect(stage.handle(.ended(first)) == [.start(second)])
        #expect(stage.handle(.ended(second)) == [.start(third)])
        #expect(stage.handle(.ended(third)) == [.start(last)])
    }

    @Test func `the app that has used least goes first`() {
        var stage = TaskStage(Self.single, conditions: MachineConditions(isDiskFull: true))
        for _ in 0..<4 { stage.submit() }
        stage.passQuietly(1)
        for _ in 0..<2 { stage.submit(app: Self.news) }
        stage.handle(.conditions(MachineConditions()))
        let mail = TaskStage.app
        #expect(order(&stage, seconds: 10) == [mail, Self.news, mail, Self.news, mail, mail])
    }

    @Test func `a thousand tasks of one app do not delay another's one by more than a run`() {
        var stage = TaskStage(Self.single)
        for _ in 0..<1000 { stage.submit() }
        let running = stage.schedule.numbers(app: nil, limit: 1)
        stage.handle(.entered(running[0]))
        stage.passQuietly(5)
        let other = stage.submit(app: Self.news)
        #expect(stage.handle(.ended(running[0])) == [.start(other)])
    }

    @Test func `a run is charged as it runs`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 864
        var stage = TaskStage(policy, conditions: MachineConditions(isBusy: true))
        let first = stage.submit()
        stage.handle(.entered(first))
        stage.passQuietly(100)
        let left = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        #expect(abs(left - (864 - 100 + 1)) < 1e-6)
        stage.passQuietly(900)
        let spent = stage.submit()
        // 864 s are used up at 0.99 s a second.
        #expect(stage.cause(spent) == .budgetSpent(seconds: 864))
        #expect(stage.since(spent) == 1000)
        #expect(stage.nextLook(spent) == nil)
        #expect(stage.uptimeLook == nil)
        let other = stage.submit(app: Self.news)
        #expect(stage.actions == [.start(other)])
    }

    @Test func `a budget that a run overdrew comes back bit by bit, and then its app goes on`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 864
        var stage = TaskStage(policy)
        let first = stage.submit()
        let second = stage.submit(begin: 10)
        stage.run(first, seconds: 0)
        stage.pass(10)
        stage.handle(.entered(second))
        stage.passQuietly(890)
        let third = stage.submit()
        #expect(stage.cause(third) == .budgetSpent(seconds: 864))
        #expect(stage.handle(.ended(second)) == [])
        // 864 s at 0.99 s a second.
        #expect(stage.since(third) == 900)
        let left = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        #expect(abs(left - (864 - 890 + 8.9)) < 1e-6)
        let look = try #require(stage.uptimeLook)
        #expect(abs(look - (900 + 1710)) < 0.01)
        #expect(stage.pass(1709.9) == [])
        let exact = try #require(stage.schedule.nextLook.uptime)
        #expect(stage.pass(exact - stage.now.uptime) == [.start(third)])
    }

    @Test func `an empty budget is dated by when it was used up`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 864
        policy.runningLimit = 9
        var stage = TaskStage(policy)
        let first = stage.submit()
        let waiting = stage.submit(begin: 1)
        stage.handle(.app(TaskStage.app, .ending))
        stage.handle(.entered(first))
        stage.passQuietly(1000)
        stage.handle(.app(TaskStage.app, nil))
        #expect(stage.cause(waiting) == .budgetSpent(seconds: 864))
        #expect(abs((stage.since(waiting) ?? 0) - 864 / 0.99) < 0.01)
    }

    @Test func `a spent app does not keep others, nor the daemon awake while as many run as may`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 10
        policy.runningLimit = 1
        var stage = TaskStage(policy)
        let first = stage.submit()
        stage.run(first, seconds: 20)
        let spent = stage.submit()
        #expect(stage.actions == [])
        #expect(stage.uptimeLook != nil)
        let other = stage.submit(app: Self.news)
        #expect(stage.actions == [.start(other)])
        #expect(stage.uptimeLook == nil)
        #expect(stage.cause(spent) == .budgetSpent(seconds: 10))
    }

    @Test func `what was used stays used when the setting changes`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 10
        var stage = TaskStage(policy)
        stage.run(stage.submit(), seconds: 12)
        let task = stage.submit()
        #expect(stage.cause(task) == .budgetSpent(seconds: 10))
        policy.dailySeconds = 100
        #expect(stage.handle(.policy(policy)) == [.start(task)])
        #expect(abs(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) - 88) < 0.01)
        policy.dailySeconds = 0
        stage.handle(.policy(policy))
        let never = stage.submit()
        #expect(stage.cause(never) == .budgetSpent(seconds: 0))
        #expect(stage.schedule.nextLook == (nil, nil))
    }

    @Test func `continued processing uses no budget and no place, and has a limit of its own`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 0
        policy.runningLimit = 0
        policy.runningContinuedLimit = 1
        let worst = MachineConditions(network: .none, hasExternalPower: false, batteryCharge: 0, isBusy: true)
        var stage = TaskStage(policy, conditions: worst)
        stage.handle(.app(TaskStage.app, .backedOff(until: 1e9, crashes: 2)))
        let first = stage.submit(.continued, begin: 1e6)
        #expect(stage.actions == [.start(first)])
        stage.handle(.entered(first))
        stage.passQuietly(100)
        #expect(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) == 0)
        let second = stage.submit(.continued)
        #expect(stage.cause(second) == .othersRun(running: 1, limit: 1))
        #expect(stage.since(second) == 100)
        stage.handle(.app(TaskStage.app, .quit))
        #expect(stage.cause(second) == .appQuit)
        #expect(stage.handle(.ended(first)) == [])
        #expect(stage.handle(.app(TaskStage.app, nil)) == [.start(second)])
    }

    @Test func `what ran before the daemon's start is taken off, as far as it has not come back`() {
        var policy = TaskPolicy()
        policy.dailySeconds = 8640
        var stage = TaskStage(policy)
        stage.passQuietly(2000)
        func entry(_ kind: TaskRequest.Kind, started: Double, seconds: Double) -> TaskEntry {
            TaskEntry(
                number: 1,
                app: TaskStage.app,
                identifier: "a",
                kind: kind,
                date: stage.date(started + seconds),
                outcome: .ended(.completed(success: true), started: stage.date(started), seconds: seconds)
            )
        }
        let entries = [
            entry(.processing, started: 400, seconds: 600), entry(.continued, started: 0, seconds: 1500),
            entry(.refresh, started: -90_000, seconds: 30), entry(.processing, started: 90_000, seconds: 600),
        ]
        stage.recall(entries)
        let left = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        #expect(abs(left - (8640 - 600 + 100)) < 1e-6)
        #expect(stage.schedule.apps == [TaskStage.app])
    }
}
