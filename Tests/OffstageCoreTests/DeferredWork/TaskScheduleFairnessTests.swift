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

    /// Lets each due task run for so many seconds, and returns the apps in the order of their runs.
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
        policy.refreshSeconds = 2000
        var stage = TaskStage(policy, conditions: MachineConditions(isBusy: true))
        let first = stage.submit()
        stage.handle(.entered(first))
        stage.passQuietly(100)
        let left = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        #expect(abs(left - (864 - 100 + 1)) < 1e-6)
        stage.passQuietly(900)
        let spent = stage.submit()
        // 864 s are used up at 0.99 s per second.
        #expect(stage.cause(spent) == .budgetSpent(seconds: 864))
        #expect(stage.since(spent) == 1000)
        // Not until the run is no longer charged: 2000 s took 1116 s too much, which return at 0.01 s per second.
        #expect(stage.nextLook(spent) == 113_600)
        #expect(stage.uptimeLook == 113_600)
        let other = stage.submit(app: Self.news)
        #expect(stage.actions == [.start(other)])
    }

    @Test func `a run that a night of sleep lengthens uses no more than such a run may take`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 86.4
        var stage = TaskStage(policy)
        let first = stage.submit()
        stage.handle(.entered(first))
        stage.passQuietly(10)
        // Another run uses most of the time left, so that the rest of the first run's time exhausts it.
        let second = stage.submit(.processing)
        stage.run(second, seconds: 66.4)
        let waiting = stage.submit()
        #expect(stage.cause(waiting) == .budgetSpent(seconds: 86.4))
        let look = try #require(stage.uptimeLook)
        stage.passQuietly(28_800 - 76.4)
        #expect(abs(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) - (86.4 - 96.4 + 28.8)) < 1e-6)
        #expect(abs(look - 10_000) < 0.1)
        #expect(stage.pass(0) == [.start(waiting)])
        stage.handle(.ended(first))
        #expect(abs(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) - (86.4 - 96.4 + 28.8)) < 1e-6)
        #expect(stage.schedule.forecast(seconds: 10, now: stage.now, limit: 9) == [])
    }

    @Test func `a budget that a run overdrew comes back bit by bit, and then its app goes on`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 864
        policy.refreshSeconds = 2000
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
        // 864 s at 0.99 s per second.
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
        policy.refreshSeconds = 2000
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

    @Test func `what ran before the daemon's start is taken off, as far as it has not come back`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 8640
        var before = TaskStage(policy)
        before.run(before.submit(.processing), seconds: 600)
        let use = try #require(before.schedule.budgetUse(of: TaskStage.app, now: before.now))
        #expect(abs(use.used - 540) < 1e-6)
        #expect(use.typicalSeconds == 600)
        #expect(before.schedule.budgetUse(of: "org.example.other", now: before.now) == nil)
        var stage = TaskStage(policy)
        stage.passQuietly(1600)
        stage.recall(use)
        let left = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        #expect(abs(left - (8640 - 540 + 100)) < 1e-6)
        #expect(stage.schedule.apps == [TaskStage.app])
        #expect(stage.schedule.budgetUse(of: TaskStage.app, now: stage.now)?.typicalSeconds == 600)
    }

    @Test func `what a test clock's time has used is forgotten with it`() throws {
        var ahead = TaskStage()
        ahead.passQuietly(90_000)
        ahead.run(ahead.submit(.processing), seconds: 600)
        let use = try #require(ahead.schedule.budgetUse(of: TaskStage.app, now: ahead.now))
        var stage = TaskStage()
        let full = stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now)
        stage.recall(use)
        #expect(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) == full)
    }

    @Test func `a run that is on is not part of what is noted, since it counts anew`() throws {
        var stage = TaskStage()
        let (first, second) = (stage.submit(.processing), stage.submit(.processing))
        stage.handle(.entered(first))
        stage.passQuietly(10)
        stage.handle(.entered(second))
        stage.passQuietly(50)
        stage.handle(.ended(first))
        let use = try #require(stage.schedule.budgetUse(of: TaskStage.app, now: stage.now))
        // The time regained meanwhile is credited.
        #expect(abs(use.used - 50) < 1e-6)
    }

    @Test func `a schedule at rest ends nothing, and what lets it begin does`() {
        var policy = TaskPolicy()
        let limit = policy.runningLimit
        policy.runningLimit = 0
        var conditions = MachineConditions()
        conditions.isBusy = true
        var stage = TaskStage(policy, conditions: conditions)
        let number = stage.submit(.processing, phase: .running(since: stage.now))
        #expect(stage.actions == [])
        policy.runningLimit = limit
        #expect(stage.handle(.policy(policy)) == [.expire(number, .machineBusy)])
        #expect(stage.handle(.timeIsUp) == [])
    }

    @Test func `the first ones are the same, however many are asked for`() {
        var stage = TaskStage()
        stage.handle(.app(TaskStage.app, .quit))
        for index in 0..<300 { stage.submit(begin: index % 3 == 0 ? nil : Double((index * 7919) % 1000)) }
        let all = stage.schedule.numbers(app: nil, limit: .max)
        #expect(all.count == 300)
        for limit in [0, 1, 2, 3, 17, 299, 300, 301] {
            #expect(stage.schedule.numbers(app: nil, limit: limit) == Array(all.prefix(limit)))
        }
    }
}
