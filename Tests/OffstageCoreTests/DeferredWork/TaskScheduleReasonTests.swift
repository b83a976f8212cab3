// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Each reason why a task waits: that it holds, its start, its next look, and that the task starts when it ends.
@Suite struct TaskScheduleReasonTests {
    @Test func `what nothing holds starts at once, and runs until it has ended`() {
        var stage = TaskStage()
        let task = stage.submit()
        #expect(stage.actions == [.start(task)])
        #expect(stage.cause(task) == .starting)
        stage.passQuietly(2)
        #expect(stage.handle(.entered(task)) == [])
        stage.passQuietly(3)
        #expect(stage.cause(task) == .running)
        #expect(stage.since(task) == 2)
        #expect(stage.nextLook(task) == nil)
        stage.handle(.ended(task))
        #expect(stage.why(task) == nil)
        #expect(stage.schedule.count == 0)
    }

    @Test func `a begin date holds a task until the wall clock shows it`() {
        var stage = TaskStage()
        stage.passQuietly(1)
        let task = stage.submit(begin: 61)
        #expect(stage.actions == [])
        #expect(stage.cause(task) == .earliestBegin)
        #expect(stage.since(task) == 1)
        #expect(stage.nextLook(task) == 61)
        #expect(stage.wallLook == 61)
        #expect(stage.uptimeLook == nil)
        #expect(stage.pass(59.9) == [])
        #expect(stage.pass(0.1) == [.start(task)])
        #expect(stage.wallLook == nil)
    }

    @Test func `a quit app's tasks wait for the person`() {
        var stage = TaskStage()
        stage.passQuietly(5)
        stage.handle(.app(TaskStage.app, .quit))
        stage.passQuietly(5)
        let task = stage.submit()
        #expect(stage.cause(task) == .appQuit)
        #expect(stage.since(task) == 10)
        #expect(stage.nextLook(task) == nil)
        #expect(stage.schedule.nextLook == (nil, nil))
        #expect(stage.handle(.app(TaskStage.app, nil)) == [.start(task)])
    }

    @Test(arguments: [AppHold.quit, .ending, .backedOff(until: 1e9, crashes: 2)])
    func `what holds the app is told before the begin date, when nobody could start the task`(hold: AppHold) {
        var stage = TaskStage()
        stage.passQuietly(5)
        stage.handle(.app(TaskStage.app, hold))
        stage.passQuietly(5)
        let task = stage.submit(begin: 100)
        #expect(stage.cause(task) != .earliestBegin)
        #expect(stage.since(task) == 10)
        stage.passQuietly(100)
        #expect(stage.since(task) == 10)
    }

    @Test func `a reason is dated by when it came, if the task was due then`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        let task = stage.submit(.processing)
        stage.passQuietly(10)
        stage.handle(.app(TaskStage.app, .ending))
        stage.passQuietly(10)
        #expect(stage.cause(task) == .appEnding)
        #expect(stage.since(task) == 10)
        stage.handle(.app(TaskStage.app, nil))
        #expect(stage.cause(task) == .machineBusy)
        #expect(stage.since(task) == 0)
    }

    @Test func `an app that is backed off is let on when its pause is over, without an event`() {
        var stage = TaskStage()
        stage.handle(.app(TaskStage.app, .backedOff(until: 5040, crashes: 3)))
        let task = stage.submit()
        #expect(stage.cause(task) == .appBackedOff(crashes: 3))
        #expect(stage.nextLook(task) == 40)
        #expect(stage.uptimeLook == 40)
        #expect(stage.pass(39) == [])
        #expect(stage.pass(1) == [.start(task)])
        #expect(stage.uptimeLook == nil)
    }

    @Test func `another backoff takes the place of the former`() {
        var stage = TaskStage()
        stage.handle(.app(TaskStage.app, .backedOff(until: 5040, crashes: 3)))
        let task = stage.submit()
        stage.passQuietly(10)
        stage.handle(.app(TaskStage.app, .backedOff(until: 5100, crashes: 4)))
        #expect(stage.since(task) == 10)
        #expect(stage.uptimeLook == 100)
        #expect(stage.pass(80) == [])
        #expect(stage.pass(10) == [.start(task)])
    }

    @Test func `refresh that is switched off holds refresh alone`() {
        var policy = TaskPolicy()
        policy.isRefreshOn = false
        policy.refreshExceptions = ["org.example.news"]
        var stage = TaskStage(policy)
        let task = stage.submit()
        #expect(stage.cause(task) == .refreshOff)
        #expect(stage.nextLook(task) == nil)
        let other = stage.submit(app: "org.example.news")
        #expect(stage.actions == [.start(other)])
        let processing = stage.submit(.processing)
        #expect(stage.actions == [.start(processing)])
        stage.passQuietly(7)
        policy.refreshExceptions.insert(TaskStage.app)
        #expect(stage.handle(.policy(policy)) == [.start(task)])
    }

    @Test func `a switch for one app is dated by when it was turned`() {
        var policy = TaskPolicy()
        var stage = TaskStage(policy, conditions: MachineConditions(isDiskFull: true))
        let task = stage.submit()
        let other = stage.submit(app: "org.example.news")
        stage.passQuietly(7)
        policy.refreshExceptions = [TaskStage.app]
        stage.handle(.policy(policy))
        #expect(stage.cause(task) == .refreshOff)
        #expect(stage.since(task) == 7)
        #expect(stage.cause(other) == .diskFull)
        stage.passQuietly(7)
        policy.isRefreshOn = false
        policy.refreshExceptions = []
        stage.handle(.policy(policy))
        #expect(stage.since(task) == 7)
        #expect(stage.since(other) == 14)
    }

    @Test func `a network is waited for by whatever requires one, metered or not`() {
        var stage = TaskStage(conditions: MachineConditions(network: .none))
        let task = stage.submit(.processing, network: true)
        #expect(stage.cause(task) == .noNetwork)
        let other = stage.submit(.processing)
        #expect(stage.actions == [.start(other)])
        stage.passQuietly(9)
        #expect(stage.handle(.conditions(MachineConditions(network: .metered))) == [.start(task)])
    }

    @Test func `external power is waited for by whatever requires it`() {
        var stage = TaskStage()
        stage.passQuietly(4)
        stage.handle(.conditions(MachineConditions(hasExternalPower: false, batteryCharge: 0.9)))
        stage.passQuietly(4)
        let task = stage.submit(.processing, power: true)
        #expect(stage.cause(task) == .noExternalPower)
        #expect(stage.since(task) == 8)
        let other = stage.submit(.healthResearch)
        #expect(stage.actions == [.start(other)])
        #expect(stage.handle(.conditions(MachineConditions(batteryCharge: 0.1))) == [.start(task)])
    }

    @Test func `a low battery holds all but continued processing`() {
        var stage = TaskStage()
        var low = MachineConditions(hasExternalPower: false, batteryCharge: 0.25)
        stage.handle(.conditions(low))
        let first = stage.submit()
        #expect(stage.actions == [.start(first)])
        stage.passQuietly(3)
        low.batteryCharge = 0.19
        stage.handle(.conditions(low))
        let task = stage.submit()
        stage.passQuietly(3)
        low.batteryCharge = 0.18
        stage.handle(.conditions(low))
        #expect(stage.cause(task) == .lowBattery(charge: 0.18, least: 0.2))
        #expect(stage.since(task) == 3)
        let continued = stage.submit(.continued)
        #expect(stage.actions == [.start(continued)])
        var policy = TaskPolicy()
        policy.leastCharge = 0.1
        #expect(stage.handle(.policy(policy)) == [.start(task)])
    }

    @Test func `an unknown charge is not a low one`() {
        var stage = TaskStage(conditions: MachineConditions(hasExternalPower: false))
        let task = stage.submit()
        #expect(stage.actions == [.start(task)])
    }

    @Test func `a full disk holds refresh and processing`() {
        var stage = TaskStage(conditions: MachineConditions(isDiskFull: true))
        let refresh = stage.submit()
        let processing = stage.submit(.processing)
        #expect(stage.cause(refresh) == .diskFull)
        #expect(stage.cause(processing) == .diskFull)
        #expect(stage.handle(.conditions(MachineConditions())) == [.start(refresh), .start(processing)])
    }

    @Test func `a busy machine holds processing, and refresh not`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        let processing = stage.submit(.processing)
        let research = stage.submit(.healthResearch)
        let refresh = stage.submit()
        #expect(stage.actions == [.start(refresh)])
        #expect(stage.cause(processing) == .machineBusy)
        #expect(stage.cause(research) == .machineBusy)
        stage.passQuietly(1)
        #expect(stage.handle(.conditions(MachineConditions())) == [.start(processing), .start(research)])
    }

    @Test func `as many run as may, and one that ends lets another start`() {
        var policy = TaskPolicy()
        policy.runningLimit = 2
        var stage = TaskStage(policy)
        let first = stage.submit()
        stage.passQuietly(1)
        let second = stage.submit()
        stage.passQuietly(1)
        let third = stage.submit()
        let fourth = stage.submit()
        #expect(stage.cause(third) == .othersRun(running: 2, limit: 2))
        #expect(stage.since(third) == 2)
        #expect(stage.schedule.nextLook == (nil, nil))
        stage.handle(.entered(second))
        stage.passQuietly(1)
        #expect(stage.handle(.ended(second)) == [.start(third)])
        #expect(stage.cause(fourth) == .othersRun(running: 2, limit: 2))
        #expect(stage.since(fourth) == 2)
        policy.runningLimit = 3
        #expect(stage.handle(.policy(policy)) == [.start(fourth)])
        #expect(stage.cause(first) == .starting)
    }

    @Test func `the reasons are looked at in their order`() {
        var policy = TaskPolicy()
        policy.runningLimit = 0
        policy.dailySeconds = 0
        policy.isRefreshOn = false
        let worst = MachineConditions(
            network: .none,
            hasExternalPower: false,
            batteryCharge: 0,
            isBusy: true,
            isDiskFull: true
        )
        var stage = TaskStage(policy, conditions: worst)
        stage.handle(.app(TaskStage.app, .quit))
        let task = stage.submit(.processing, begin: 10, network: true, power: true, attempts: 1)
        let refresh = stage.submit(begin: 10)
        #expect(stage.cause(task) == .appQuit)
        stage.handle(.app(TaskStage.app, nil))
        #expect(stage.cause(task) == .earliestBegin)
        stage.pass(10)
        stage.handle(.app(TaskStage.app, .quit))
        #expect(stage.cause(task) == .appQuit)
        stage.handle(.app(TaskStage.app, .ending))
        #expect(stage.cause(task) == .appEnding)
        stage.handle(.app(TaskStage.app, .backedOff(until: 1e9, crashes: 1)))
        #expect(stage.cause(task) == .appBackedOff(crashes: 1))
        stage.handle(.app(TaskStage.app, nil))
        #expect(stage.cause(refresh) == .refreshOff)
        var conditions = worst
        #expect(stage.cause(task) == .noNetwork)
        conditions.network = .metered
        stage.handle(.conditions(conditions))
        #expect(stage.cause(task) == .noExternalPower)
        let powerless = stage.submit(.processing)
        #expect(stage.cause(powerless) == .lowBattery(charge: 0, least: 0.2))
        conditions.hasExternalPower = true
        stage.handle(.conditions(conditions))
        #expect(stage.cause(task) == .diskFull)
        conditions.isDiskFull = false
        stage.handle(.conditions(conditions))
        #expect(stage.cause(task) == .machineBusy)
        conditions.isBusy = false
        stage.handle(.conditions(conditions))
        #expect(stage.cause(task) == .budgetSpent(seconds: 0))
        policy.dailySeconds = 100
        stage.handle(.policy(policy))
        #expect(stage.cause(task) == .othersRun(running: 0, limit: 0))
        stage.handle(.returned(powerless))
        policy.runningLimit = 1
        #expect(stage.handle(.policy(policy)) == [.start(task)])
        #expect(stage.cause(powerless) == .othersRun(running: 1, limit: 1))
        policy.runningLimit = 2
        stage.handle(.policy(policy))
        stage.handle(.returned(powerless))
        #expect(stage.cause(powerless) == .retry(attempts: 1))
    }
}
