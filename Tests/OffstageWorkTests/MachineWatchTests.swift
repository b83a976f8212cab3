// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageWork
import Testing

/// The machine's conditions as the schedule and transfers are told of them, with files in place of the kernel.
@Suite struct `Watching the machine` {
    private let system: FakeSystem
    private let stage: WorkStage

    init() throws {
        system = try FakeSystem()
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        try system.setSupply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
        try system.setPressure("0.00")
        let sources = MachineSources(
            sys: system.sys.path,
            proc: system.proc.path,
            bus: system.directory.path("bus"),
            subsystem: nil
        )
        stage = try WorkStage(sources: sources, isIdeal: false)
    }

    private func unplug() throws {
        try system.setSupply("AC", ["online": "0"])
        try system.setSupply("BAT0", ["status": "Discharging", "capacity": "79"])
    }

    private var draftOnPower: TaskDraft {
        var draft = stage.draft("task-1", after: 3600)
        draft.requiresExternalPower = true
        return draft
    }

    @Test func `a report says what the machine is like, and what is only pretended`() throws {
        #expect(try stage.conditions().conditions.batteryCharge == 0.8)
        #expect(try stage.conditions().pretended.isEmpty)
        try stage.pretend(.onBattery)
        let report = try stage.conditions()
        #expect(!report.conditions.hasExternalPower)
        #expect(report.conditions.batteryCharge == 1)
        #expect(report.pretended == .onBattery)
        try stage.pretend(PretendedConditions())
        #expect(try stage.conditions().conditions.hasExternalPower)
    }

    @Test func `without requests and transfers nobody looks at anything`() throws {
        try unplug()
        stage.engine.advance(by: 3600)
        #expect(try stage.conditions().conditions.hasExternalPower)
    }

    @Test func `a supply that nobody reports is looked at once a minute, as soon as there is a request`() throws {
        try stage.submit(draftOnPower)
        try unplug()
        stage.engine.advance(by: 61)
        #expect(try !stage.conditions().conditions.hasExternalPower)
        #expect(try stage.rows().first?.reason.cause == .earliestBegin)
    }

    @Test func `a request that has waited for power begins within a minute of its coming`() throws {
        try unplug()
        try stage.submit(draftOnPower)
        stage.engine.advance(by: 3660)
        #expect(stage.told.isEmpty)
        #expect(try stage.rows().first?.reason.cause == .noExternalPower)
        try system.setSupply("AC", ["online": "1"])
        stage.engine.advance(by: 61)
        #expect(stage.told == ["task-1"])
    }

    @Test func `a transfer that needs a good moment waits on a battery, and is told when it changes`() throws {
        let transfers = stage.transfers
        try unplug()
        try stage.engine.run { await transfers.need(.goodMoment) }
        stage.engine.settle()
        let held = try stage.engine.run { await transfers.hold(.goodMoment, "example.com") }
        #expect(held == .externalPower)
        let before = try stage.engine.run { await transfers.changes }
        try system.setSupply("AC", ["online": "1"])
        stage.engine.advance(by: 61)
        let after = try stage.engine.run { await transfers.changes }
        #expect(after > before)
        let free = try stage.engine.run { await transfers.hold(.goodMoment, "example.com") }
        #expect(free == nil)
    }

    @Test func `a transfer without needs is never held`() throws {
        let transfers = stage.transfers
        try unplug()
        try stage.engine.run { await transfers.need([.goodMoment, .noExpensive]) }
        let hold = try stage.engine.run { await transfers.hold([], "example.com") }
        #expect(hold == nil)
    }
}
