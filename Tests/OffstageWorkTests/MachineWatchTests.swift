// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageWork
import Testing

/// The machine's conditions as reported to the schedule and transfers, with files in place of the kernel.
@Suite struct `Watching the machine` {
    private let system: FakeSystem
    private let stage: WorkStage
    /// The bytes that are free on the store's disk.
    private let space = Monitor<UInt64>(1 << 40)

    init() throws {
        system = try FakeSystem()
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        try system.setSupply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
        try system.setPressure("0.00")
        let space = space
        let sources = MachineSources(
            sys: system.sys.path,
            proc: system.proc.path,
            bus: system.directory.path("bus"),
            subsystem: nil,
            space: { _ in space.withLock { $0 } }
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

    @Test func `without requests and transfers nobody looks at anything until a person asks`() throws {
        let transfers = stage.transfers
        try unplug()
        try system.setPressure("90.00")
        space.withLock { $0 = 0 }
        stage.engine.advance(by: 3600)
        let hold = try stage.engine.run { await transfers.hold(.goodMoment, "example.com") }
        #expect(hold == nil, "nobody has seen that it is unplugged")
        let report = try stage.conditions()
        #expect(!report.conditions.hasExternalPower)
        #expect(report.conditions.batteryCharge == 0.79)
        #expect(report.conditions.isBusy)
        #expect(report.conditions.isDiskFull)
        #expect(report.sources["power"] == "AC, BAT0")
        #expect(report.sources["disk"] == "free space beside the store")
    }

    @Test func `a request waits while the disk is full, and begins within a minute of room on it`() throws {
        space.withLock { $0 = 0 }
        stage.engine.advance(by: 10)
        try stage.submit("task-1", after: 3600)
        stage.engine.advance(by: 3660)
        #expect(stage.told.isEmpty)
        #expect(try stage.rows().first?.reason.cause == .diskFull)
        space.withLock { $0 = 1 << 40 }
        stage.engine.advance(by: 61)
        #expect(stage.told == ["task-1"])
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

    // MARK: What the network costs

    /// A network whose one way out is this interface.
    private static func network(over index: Int32) throws -> NetworkPaths {
        var paths = NetworkPaths()
        let address = try #require(IPAddress(literal: "192.0.2.10"))
        let everywhere = NetworkRoute(
            destination: try #require(IPAddress(literal: "0.0.0.0")),
            prefixLength: 0,
            index: index
        )
        paths.apply(.link(index: index, isLoopback: false, isRunning: true))
        paths.apply(.address(index: index, address, isLinkScope: false))
        paths.apply(.route(everywhere))
        paths.isKnown = true
        return paths
    }

    @Test func `a transfer that waits for what the network costs is told when nobody can say`() throws {
        let transfers = stage.transfers
        let bus = try SilentSocket(at: system.directory.path("bus"))
        try stage.engine.run { await transfers.need(.noExpensive) }
        stage.engine.settle()
        let held = try stage.engine.run { await transfers.hold(.noExpensive, "example.com") }
        #expect(held == .unknownNetwork)
        let before = try stage.engine.run { await transfers.changes }
        bus.close()
        stage.engine.settle()
        let after = try stage.engine.run { await transfers.changes }
        #expect(after > before)
        let free = try stage.engine.run { await transfers.hold(.noExpensive, "example.com") }
        #expect(free == nil)
    }

    @Test func `a network that is mobile no more is not waited for without end`() throws {
        let (transfers, center) = (stage.transfers, stage.center)
        try system.setLink("wwan0", 4, isModem: true)
        try system.setLink("wlan0", 5, isModem: false)
        let (mobile, other) = (try Self.network(over: 4), try Self.network(over: 5))
        let silent = try SilentSocket(at: system.directory.path("bus"))
        defer { silent.close() }
        try stage.engine.run {
            await center.networkIs(mobile)
            await transfers.need(.noExpensive)
        }
        let held = try stage.engine.run { await transfers.hold(.noExpensive, "example.com") }
        #expect(held == .expensive)
        try stage.engine.run { await center.networkIs(other) }
        let before = try stage.engine.run { await transfers.changes }
        stage.engine.advance(by: 3)
        let after = try stage.engine.run { await transfers.changes }
        #expect(after > before)
        let free = try stage.engine.run { await transfers.hold(.noExpensive, "example.com") }
        #expect(free == nil)
    }
}
