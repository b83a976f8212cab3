// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageWork
import Testing

@Suite struct `Looking at the conditions` {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    @Test func `a machine that says nothing lets everything run`() {
        let monitor = ConditionMonitor(store: "/nonexistent", sources: .silent)
        #expect(monitor.conditions == MachineConditions())
        #expect(
            monitor.sources == [
                "network": "unknown: counts as a network", "power": "no battery: counts as external",
                "battery": "no battery", "load": "unknown: counts as idle", "disk": "free space beside the store",
                "lowdata": "the setting lowDataMode",
            ]
        )
        #expect(monitor.nextLook(after: 100) == nil)
    }

    @Test func `power that goes and comes is seen when it is looked at`() throws {
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        try system.setSupply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
        let monitor = system.monitor()
        #expect(monitor.conditions.hasExternalPower)
        #expect(monitor.conditions.batteryCharge == 0.8)
        #expect(!monitor.look())
        try system.setSupply("AC", ["online": "0"])
        try system.setSupply("BAT0", ["status": "Discharging", "capacity": "79"])
        #expect(monitor.look())
        #expect(!monitor.conditions.hasExternalPower)
        #expect(monitor.conditions.batteryCharge == 0.79)
        #expect(monitor.sources["power"] == "AC, BAT0")
        #expect(monitor.sources["battery"] == "BAT0")
        try system.setSupply("AC", ["online": "1"])
        #expect(monitor.look())
        #expect(monitor.conditions.hasExternalPower)
    }

    @Test func `pressure is asked before the load average`() throws {
        try system.setLoadAverage("40.00")
        let monitor = system.monitor()
        #expect(monitor.conditions.isBusy)
        #expect(monitor.sources["load"] == "load average")
        try system.setPressure("9.99")
        #expect(monitor.look())
        #expect(!monitor.conditions.isBusy)
        #expect(monitor.sources["load"] == "processor pressure")
    }

    @Test func `the load average is taken for each processor`() throws {
        try system.setLoadAverage("3.99")
        let monitor = system.monitor()
        #expect(!monitor.conditions.isBusy)
        try system.setLoadAverage("4.00")
        #expect(monitor.look())
        #expect(monitor.conditions.isBusy)
        try system.setLoadAverage("2.80")
        #expect(!monitor.look())
        try system.setLoadAverage("2.79")
        #expect(monitor.look())
        #expect(!monitor.conditions.isBusy)
    }

    @Test func `the network is what others say of it`() {
        let monitor = system.monitor()
        #expect(monitor.conditions.network == .unmetered)
        monitor.network = MachineConditions.Network.none
        #expect(monitor.conditions.network == .none)
        #expect(monitor.sources["network"] == "links, addresses and routes")
        monitor.network = .metered
        #expect(monitor.conditions.network == .metered)
        monitor.network = nil
        #expect(monitor.conditions.network == .unmetered)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount a file system"))
    func `a full disk is seen, and looked at again every minute`() throws {
        // A separate file system of minimal size: it never has the room that deferred work wants.
        let store = system.directory.path("store")
        try #require(mount("tmpfs", store, "tmpfs", 0, "size=1m") == 0)
        let monitor = system.monitor()
        #expect(monitor.conditions.isDiskFull)
        #expect(monitor.nextLook(after: 100) == 160)
        monitor.wantsChanges = false
        #expect(monitor.nextLook(after: 100) == nil)
        monitor.wantsChanges = true
        #expect(umount(store) == 0)
        let question = try Self.ask(monitor)
        #expect(monitor.receiveDisk(question()))
        #expect(!monitor.conditions.isDiskFull)
        #expect(monitor.nextLook(after: 100) == nil)
    }

    /// The question to the disk.
    private static func ask(_ monitor: ConditionMonitor) throws -> @Sendable () -> Bool {
        guard let question = monitor.makeDiskQuestion() else { throw TestError("The disk is being asked already") }
        return question
    }

    @Test func `a disk that does not answer is asked once, and what it said last holds`() throws {
        let space = Monitor(DiskSpace.leastFree)
        var sources = MachineSources.silent
        sources.space = { _ in space.withLock { $0 } }
        let monitor = ConditionMonitor(store: "/store", sources: sources)
        space.withLock { $0 -= 1 }
        let question = try Self.ask(monitor)
        for uptime in [100.0, 200] {
            #expect(!monitor.look(at: uptime))
            #expect(monitor.isDiskAsked)
            #expect(throws: TestError.self) { _ = try Self.ask(monitor) }
        }
        #expect(!monitor.conditions.isDiskFull)
        #expect(monitor.sources["disk"] == "free space beside the store, as it was: the disk does not answer")
        #expect(monitor.receiveDisk(question()))
        #expect(monitor.conditions.isDiskFull)
        #expect(!monitor.isDiskAsked)
        // If the question could not be sent, nothing new is known.
        space.withLock { $0 += 1 }
        _ = try Self.ask(monitor)
        #expect(!monitor.receiveDisk(nil))
        #expect(monitor.conditions.isDiskFull)
    }
}

@Suite struct `When the conditions are looked at again` {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    @Test func `a busy machine is looked at every ten seconds while somebody waits`() throws {
        try system.setPressure("50.00")
        let monitor = system.monitor()
        #expect(monitor.conditions.isBusy)
        #expect(monitor.nextLook(after: 100) == nil)
        monitor.wantsLoad = true
        #expect(monitor.nextLook(after: 100) == 110)
        monitor.wantsLoad = false
        #expect(monitor.nextLook(after: 100) == nil)
    }

    @Test func `asking often does not put the look off`() throws {
        try system.setPressure("50.00")
        let monitor = system.monitor()
        monitor.wantsLoad = true
        #expect(monitor.nextLook(after: 100) == 110)
        #expect(monitor.nextLook(after: 109) == 110)
        #expect(monitor.nextLook(after: 120) == 110)
        #expect(!monitor.look())
        #expect(monitor.nextLook(after: 120) == 130)
    }

    @Test func `a load of which the kernel does not tell is looked at while somebody waits`() throws {
        let monitor = system.monitor()
        #expect(!monitor.conditions.isBusy)
        monitor.wantsLoad = true
        #expect(monitor.nextLook(after: 100) == 110)
    }

    @Test func `power of which the kernel does not tell is looked at every minute`() throws {
        // In a container without root, sockets stay silent.
        try system.setNamespace("         0       1000          1")
        let alone = system.monitor()
        #expect(alone.nextLook(after: 100) == nil)
        try system.setSupply("BAT0", ["type": "Battery", "status": "Discharging", "capacity": "80"])
        let monitor = system.monitor()
        #expect(monitor.nextLook(after: 100) == 160)
        #expect(monitor.nextLook(after: 130) == 160)
        #expect(monitor.sources["battery"] == "BAT0, checked every minute")
        monitor.wantsChanges = false
        #expect(monitor.nextLook(after: 130) == nil)
        #expect(monitor.sources["battery"] == "BAT0", "nobody checks it now")
    }
}
