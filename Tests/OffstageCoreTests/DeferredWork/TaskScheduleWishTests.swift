// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `When the load decides something` {
    private static let busy = MachineConditions(isBusy: true)

    @Test func `a task that waits for an idle machine alone asks for the load`() {
        var stage = TaskStage(conditions: Self.busy)
        #expect(!stage.schedule.asksForLoad)
        stage.submit(.refresh, power: true)
        #expect(!stage.schedule.asksForLoad)
        stage.submit(.processing, begin: 10)
        #expect(!stage.schedule.asksForLoad)
        stage.pass(10)
        #expect(stage.schedule.asksForLoad)
    }

    @Test func `one that runs asks for it`() {
        var stage = TaskStage()
        let task = stage.submit(.processing)
        stage.handle(.entered(task))
        #expect(stage.schedule.asksForLoad)
        stage.handle(.ended(task))
        #expect(!stage.schedule.asksForLoad)
    }

    @Test(arguments: [
        MachineConditions(network: .none, isBusy: true),
        MachineConditions(hasExternalPower: false, isBusy: true),
        MachineConditions(hasExternalPower: false, batteryCharge: 0.1, isBusy: true),
        MachineConditions(isBusy: true, isDiskFull: true),
    ])
    func `one that something else holds does not`(_ conditions: MachineConditions) {
        var stage = TaskStage(conditions: conditions)
        stage.submit(.processing, network: true, power: true)
        #expect(!stage.schedule.asksForLoad)
        stage.handle(.conditions(Self.busy))
        #expect(stage.schedule.asksForLoad)
    }

    @Test func `one of an app whose budget is spent does not before some has come back`() throws {
        var policy = TaskPolicy()
        policy.dailySeconds = 432
        var stage = TaskStage(policy)
        let first = stage.submit(.processing)
        stage.run(first, seconds: 445)
        stage.handle(.conditions(Self.busy))
        stage.submit(.processing)
        #expect(!stage.schedule.asksForLoad)
        // By then, the known load may be out of date.
        let look = try #require(stage.schedule.nextLook.uptime)
        stage.pass(look - stage.now.uptime)
        #expect(stage.schedule.asksForLoad)
    }

    @Test func `the runs that the load could end must not be that load`() {
        var stage = TaskStage()
        let refresh = stage.submit(.refresh)
        #expect(stage.schedule.runsOnIdleMachine.isEmpty)
        let task = stage.submit(.processing)
        #expect(stage.schedule.runsOnIdleMachine == [task])
        stage.handle(.entered(task))
        stage.handle(.ended(refresh))
        #expect(stage.schedule.runsOnIdleMachine == [task])
        stage.handle(.ended(task))
        #expect(stage.schedule.runsOnIdleMachine.isEmpty)
    }

    @Test func `a run that a person started is not ended by the load, and counts when another could be`() {
        var stage = TaskStage(conditions: Self.busy)
        let forced = stage.submit(.processing)
        stage.handle(.force(forced))
        #expect(stage.schedule.runsOnIdleMachine.isEmpty)
        stage.handle(.conditions(MachineConditions()))
        let other = stage.submit(.processing)
        #expect(Set(stage.schedule.runsOnIdleMachine) == [forced, other])
    }
}
