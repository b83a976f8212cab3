// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Requests that are added, replaced, returned and removed.
@Suite struct TaskScheduleRequestTests {
    @Test func `a pending request gives way to another with its identifier`() {
        var stage = TaskStage()
        let first = stage.submit(.refresh, "refresh", begin: 100)
        let second = stage.submit(.refresh, "refresh", begin: 200)
        let other = stage.submit(.refresh, "refresh", app: "org.example.news", begin: 300)
        #expect(stage.why(first) == nil)
        #expect(stage.schedule.number(of: "refresh", app: TaskStage.app) == second)
        #expect(stage.schedule.number(of: "refresh", app: "org.example.news") == other)
        #expect(stage.schedule.number(of: "refresh", app: "org.example.unknown") == nil)
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: [.refresh]) == 1)
        #expect(stage.wallLook == 200)
    }

    @Test func `a running task and a pending one of its identifier are apart`() {
        var stage = TaskStage()
        let first = stage.submit(.refresh, "refresh")
        stage.handle(.entered(first))
        #expect(stage.schedule.number(of: "refresh", app: TaskStage.app) == nil)
        let second = stage.submit(.refresh, "refresh", begin: 50)
        #expect(stage.cause(first) == .running)
        #expect(stage.cause(second) == .earliestBegin)
        #expect(stage.schedule.number(of: "refresh", app: TaskStage.app) == second)
        stage.handle(.ended(first))
        #expect(stage.why(first) == nil)
        #expect(stage.cause(second) == .earliestBegin)
    }

    @Test func `what came back beside a newer request of its identifier goes with it when that is replaced`() {
        var stage = TaskStage()
        let first = stage.submit(.refresh, "refresh")
        let second = stage.submit(.refresh, "refresh", begin: 50)
        stage.handle(.returned(first))
        #expect(stage.schedule.number(of: "refresh", app: TaskStage.app) == second)
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: [.refresh]) == 2)
        let third = stage.submit(.refresh, "refresh", begin: 60)
        #expect(stage.why(first) == nil)
        #expect(stage.why(second) == nil)
        #expect(stage.schedule.numbers(app: nil, limit: 9) == [third])
    }

    @Test func `a cancelled request is gone from wherever it is`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        let early = stage.submit(begin: 100)
        let due = stage.submit(.processing)
        let pausing = stage.submit(attempts: 2)
        let started = stage.submit()
        for task in [early, due, pausing, started, 99] { #expect(stage.handle(.removed(task)) == []) }
        #expect(stage.schedule.count == 0)
        #expect(stage.schedule.nextLook == (nil, nil))
        #expect(stage.handle(.conditions(MachineConditions())) == [])
        #expect(stage.schedule.apps == [])
    }

    @Test func `what comes back waits five seconds, then twice as long each time, for an hour at most`() {
        var stage = TaskStage()
        let task = stage.submit()
        for (attempts, pause) in [(1, 5.0), (2, 10), (3, 20), (4, 40)] {
            let began = stage.time
            #expect(stage.handle(.returned(task)) == [])
            #expect(stage.cause(task) == .retry(attempts: attempts))
            #expect(stage.since(task) == began)
            #expect(stage.nextLook(task) == began + pause)
            #expect(stage.uptimeLook == began + pause)
            #expect(stage.pass(pause - 0.5) == [])
            #expect(stage.pass(0.5) == [.start(task)])
        }
        #expect(TaskSchedule.pause(attempts: 100_000) == 3600)
        #expect(TaskSchedule.pause(attempts: 0) == 0)
    }

    @Test func `continued processing that comes back pauses, too`() {
        var stage = TaskStage()
        let task = stage.submit(.continued)
        stage.handle(.returned(task))
        #expect(stage.cause(task) == .retry(attempts: 1))
        #expect(stage.pass(5) == [.start(task)])
    }

    @Test func `what the store had as begun before waits its pause from the daemon's start`() {
        var stage = TaskStage()
        let task = stage.submit(attempts: 3)
        #expect(stage.actions == [])
        #expect(stage.uptimeLook == 20)
        #expect(stage.pass(20) == [.start(task)])
    }

    @Test func `what the store had as running runs on, and counts`() {
        var policy = TaskPolicy()
        policy.runningLimit = 1
        var stage = TaskStage(policy)
        stage.passQuietly(100)
        let running = stage.submit(.processing, phase: .running(since: stage.moment(40)))
        #expect(stage.actions == [])
        #expect(stage.cause(running) == .running)
        #expect(stage.since(running) == 40)
        #expect(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) == 14_340)
        let next = stage.submit()
        #expect(stage.cause(next) == .othersRun(running: 1, limit: 1))
        #expect(stage.handle(.ended(running)) == [.start(next)])
        let starting = stage.submit(phase: .starting(since: stage.moment(90)))
        #expect(stage.cause(starting) == .starting)
        #expect(stage.since(starting) == 90)
    }

    @Test func `force starts a task whatever holds it, once`() {
        var policy = TaskPolicy()
        policy.runningLimit = 0
        var stage = TaskStage(policy, conditions: MachineConditions(network: .none, isBusy: true))
        stage.handle(.app(TaskStage.app, .quit))
        let task = stage.submit(.processing, begin: 1000, network: true)
        #expect(stage.handle(.force(task)) == [.start(task)])
        #expect(stage.handle(.force(task)) == [])
        #expect(stage.handle(.force(77)) == [])
        #expect(stage.handle(.entered(task)) == [])
        #expect(stage.cause(task) == .running)
        #expect(stage.wallLook == nil)
    }

    @Test func `a record is what was added`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        stage.passQuietly(3.25)
        for kind in TaskRequest.Kind.allCases {
            for (network, power) in [(false, false), (true, false), (false, true), (true, true)] {
                let request = TaskRequest(
                    number: 1000,
                    app: "org.example.mail",
                    identifier: "org.example.mail.a-long-identifier",
                    kind: kind,
                    earliestBegin: network ? stage.date(77.125) : nil,
                    requiresNetwork: network,
                    requiresExternalPower: power,
                    title: kind == .continued ? "Export" : "",
                    subtitle: kind == .continued ? "Three films" : "",
                    submitted: Moment(wall: stage.date(-9.5), bootID: "boot-0", uptime: 17.75)
                )
                let record = TaskRecord(request: request, attempts: 2)
                stage.handle(.added(record))
                #expect(stage.schedule.record(1000) == record)
            }
        }
        #expect(stage.schedule.count == 1)
        #expect(stage.schedule.record(1) == nil)
        stage.passQuietly(1)
        stage.handle(.force(1000))
        #expect(stage.schedule.record(1000)?.phase == .starting(since: stage.now))
        stage.passQuietly(1)
        stage.handle(.entered(1000))
        #expect(stage.schedule.record(1000)?.phase == .running(since: stage.now))
    }

    @Test func `a list begins with what runs, then goes by when each is due`() {
        var policy = TaskPolicy()
        policy.runningLimit = 2
        var stage = TaskStage(policy)
        let late = stage.submit(begin: 200)
        let early = stage.submit(begin: 100)
        let pausing = stage.submit(attempts: 5)
        let first = stage.submit()
        let second = stage.submit(app: "org.example.news")
        let due = stage.submit()
        let all = [first, second, due, pausing, early, late]
        #expect(stage.schedule.numbers(app: nil, limit: 100) == all)
        #expect(stage.schedule.numbers(app: nil, limit: 3) == [first, second, due])
        #expect(stage.schedule.numbers(app: "org.example.news", limit: 100) == [second])
        #expect(stage.schedule.numbers(app: "org.example.unknown", limit: 100) == [])
        #expect(stage.schedule.apps == [TaskStage.app, "org.example.news"])
    }

    @Test func `kinds are counted apart`() {
        var stage = TaskStage(conditions: MachineConditions(isDiskFull: true))
        stage.submit()
        stage.submit(.processing)
        stage.submit(.processing)
        let research = stage.submit(.healthResearch)
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: [.refresh]) == 1)
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: [.processing, .healthResearch]) == 3)
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: TaskRequest.Kind.allCases) == 4)
        #expect(stage.schedule.pendingCount(app: "org.example.news", kinds: [.refresh]) == 0)
        stage.handle(.force(research))
        #expect(stage.schedule.pendingCount(app: TaskStage.app, kinds: [.healthResearch]) == 0)
        #expect(stage.schedule.isRunning)
    }
}
