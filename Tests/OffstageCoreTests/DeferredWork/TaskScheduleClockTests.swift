// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Clocks that are set, and runs that must end.
@Suite struct TaskScheduleClockTests {
    @Test func `a wall clock that is set forward lets begin dates come`() {
        var stage = TaskStage()
        let task = stage.submit(begin: 3600)
        #expect(stage.setWallClock(ahead: 3599) == [])
        #expect(stage.cause(task) == .earliestBegin)
        #expect(stage.since(task) == 0)
        #expect(stage.setWallClock(ahead: 1) == [.start(task)])
    }

    @Test func `a wall clock that is set back makes begin dates future again`() {
        var stage = TaskStage(conditions: MachineConditions(isDiskFull: true))
        let task = stage.submit(begin: 100)
        let other = stage.submit()
        stage.pass(150)
        #expect(stage.cause(task) == .diskFull)
        #expect(stage.setWallClock(ahead: -100) == [])
        #expect(stage.cause(task) == .earliestBegin)
        #expect(stage.handle(.conditions(MachineConditions())) == [.start(other)])
        #expect(stage.wallLook == 100)
        #expect(stage.pass(49) == [])
        #expect(stage.pass(1) == [.start(task)])
    }

    @Test func `durations do not heed the wall clock`() {
        var stage = TaskStage()
        let task = stage.submit(attempts: 4)
        #expect(stage.setWallClock(ahead: 1e6) == [])
        #expect(stage.uptimeLook == 40)
        #expect(stage.nextLook(task) == 40)
        #expect(stage.since(task) == 0)
        #expect(stage.setWallClock(ahead: -2e6) == [])
        #expect(stage.nextLook(task) == 40)
        #expect(stage.pass(40) == [.start(task)])
        stage.handle(.entered(task))
        stage.passQuietly(10)
        _ = stage.setWallClock(ahead: 5000)
        #expect(stage.since(task) == 40)
        #expect(abs(stage.schedule.budgetLeft(of: TaskStage.app, now: stage.now) - (14_400 - 10 * 5 / 6.0)) < 0.01)
    }

    @Test func `since is right on a wall clock that was set after the condition came`() {
        var stage = TaskStage()
        stage.passQuietly(10)
        stage.handle(.conditions(MachineConditions(isBusy: true)))
        stage.passQuietly(10)
        let task = stage.submit(.processing)
        stage.passQuietly(10)
        stage.handle(.app(TaskStage.app, .quit))
        for jump in [7200.0, -86_400] {
            _ = stage.setWallClock(ahead: jump)
            #expect(stage.cause(task) == .appQuit)
            #expect(stage.since(task) == 30)
        }
        stage.handle(.app(TaskStage.app, nil))
        #expect(stage.since(task) == 20)
    }

    @Test func `a request of another boot keeps its date`() {
        var stage = TaskStage(conditions: MachineConditions(isDiskFull: true))
        stage.passQuietly(50)
        let submitted = Moment(wall: stage.date(-500), bootID: "boot-0", uptime: 9e9)
        let request = TaskRequest(
            number: 7,
            app: TaskStage.app,
            identifier: "a",
            kind: .refresh,
            earliestBegin: stage.date(500),
            submitted: submitted
        )
        stage.handle(.added(TaskRecord(request: request)))
        #expect(stage.cause(7) == .earliestBegin)
        #expect(stage.since(7) == -500)
    }

    @Test func `what came due after the last event is said to be starting`() {
        var stage = TaskStage()
        let task = stage.submit(begin: 10)
        stage.passQuietly(11)
        #expect(stage.cause(task) == .starting)
        #expect(stage.since(task) == 10)
        #expect(stage.nextLook(task) == 11)
    }

    // MARK: Runs that have to end

    @Test func `a processing task is told to end once when the machine is busy again`() {
        var stage = TaskStage()
        let processing = stage.submit(.processing)
        let research = stage.submit(.healthResearch)
        let refresh = stage.submit()
        let continued = stage.submit(.continued)
        let starting = stage.submit(.processing)
        for task in [processing, research, refresh, continued] { stage.handle(.entered(task)) }
        let busy = MachineConditions(isBusy: true)
        #expect(
            stage.handle(.conditions(busy)) == [.expire(processing, .machineBusy), .expire(research, .machineBusy)]
        )
        #expect(stage.handle(.conditions(busy)) == [])
        #expect(stage.handle(.conditions(MachineConditions())) == [])
        #expect(stage.handle(.conditions(busy)) == [])
        #expect(stage.handle(.entered(starting)) == [.expire(starting, .machineBusy)])
        #expect(stage.cause(processing) == .running)
    }

    @Test func `what requires external power is told to end when that goes`() {
        var stage = TaskStage()
        let task = stage.submit(.processing, power: true)
        let other = stage.submit(.processing)
        stage.handle(.entered(task))
        stage.handle(.entered(other))
        let away = MachineConditions(hasExternalPower: false, isBusy: true)
        #expect(stage.handle(.conditions(away)) == [.expire(task, .powerLost), .expire(other, .machineBusy)])
    }

    @Test func `a lost network, a low battery or a full disk end nothing`() {
        var stage = TaskStage()
        let task = stage.submit(.processing, network: true)
        stage.handle(.entered(task))
        let bad = MachineConditions(network: .none, hasExternalPower: false, batteryCharge: 0, isDiskFull: true)
        #expect(stage.handle(.conditions(bad)) == [])
    }

    @Test func `a begin date that had come at the submit is not waited for when the clock is set back`() {
        var stage = TaskStage(conditions: MachineConditions(isDiskFull: true))
        stage.pass(1000)
        let past = stage.submit(begin: 900)
        let ahead = stage.submit(begin: 1100)
        stage.pass(200)
        #expect(stage.setWallClock(ahead: -1150) == [])
        #expect(stage.cause(past) == .diskFull)
        #expect(stage.since(past) == 1000)
        #expect(stage.cause(ahead) == .earliestBegin)
        #expect(stage.handle(.conditions(MachineConditions())) == [.start(past)])
        #expect(stage.setWallClock(ahead: 1150) == [.start(ahead)])
    }

    @Test func `a forced task runs on whatever the machine does`() {
        var stage = TaskStage(conditions: MachineConditions(isBusy: true))
        let task = stage.submit(.processing, power: true)
        stage.handle(.force(task))
        #expect(stage.handle(.entered(task)) == [])
        #expect(stage.handle(.conditions(MachineConditions())) == [])
        #expect(stage.handle(.conditions(MachineConditions(hasExternalPower: false, isBusy: true))) == [])
    }

    @Test func `late and unknown words change nothing`() {
        var stage = TaskStage()
        let task = stage.submit(begin: 10)
        let events: [TaskScheduleEvent] = [
            .returned(task), .entered(50), .ended(50), .returned(50), .removed(50), .app("org.example.unknown", nil),
        ]
        for event in events { #expect(stage.handle(event) == []) }
        #expect(stage.cause(task) == .earliestBegin)
        stage.pass(10)
        stage.handle(.entered(task))
        stage.handle(.entered(task))
        stage.handle(.ended(task))
        stage.handle(.ended(task))
        #expect(stage.schedule.count == 0)
        #expect(!stage.schedule.isRunning)
    }
}
