// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageScheduler
import OffstageTestSupport
import Testing

@Suite(.serialized, .enabled(if: PrivateBus.isPossible, "needs dbus-daemon, dbus-bin, python3-dbus and python3-gi"))
struct `Hearing of a metered network` {
    private let system: FakeSystem
    private let bus: PrivateBus

    init() throws {
        system = try FakeSystem()
        bus = try PrivateBus(in: system.directory)
    }

    private func ask() -> Bool? { MeterQuestion.ask(path: bus.path, patience: 20_000) }

    @Test func `what the service says is the answer, each time`() throws {
        #expect(ask() == nil)
        let service = try bus.startManager(metered: 1)
        #expect(ask() == true)
        try bus.set("Metered", to: 4)
        #expect(ask() == false)
        try bus.set("Metered", to: 3)
        #expect(ask() == true)
        service.kill(SIGKILL)
        try eventually("no answer") { ask() == nil ? true : nil }
    }

    @Test func `the conditions know it when it is asked for, but for a network that is not there`() throws {
        let service = try bus.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        let monitor = system.monitor()
        #expect(monitor.conditions.network == .unmetered)
        try eventually("a metered network") {
            monitor.askMeter()
            return monitor.conditions.network == .metered ? true : nil
        }
        #expect(monitor.sources["network"] == "unknown: counts as a network, NetworkManager")
        monitor.network = MachineConditions.Network.none
        #expect(monitor.conditions.network == .none)

        bus.stop()
        monitor.network = .unmetered
        try eventually("a network without a meter") {
            monitor.askMeter()
            return monitor.conditions.network == .unmetered ? true : nil
        }
    }

    @Test func `changes of the network wake nobody`() throws {
        let service = try bus.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        let monitor = system.monitor()
        monitor.askMeter()
        try bus.set("Metered", to: 4)
        #expect(ask() == false)
        // Devices, of which other tests let the kernel speak, are not a network's.
        var item = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 0) == 0)
    }
}

@Suite struct `What a meter says` {
    @Test func `a guess counts as an answer`() {
        #expect((UInt32(0)...5).map(MeterQuestion.isMetered) == [nil, true, false, true, false, nil])
    }

    @Test func `without a bus nothing is known`() throws {
        #expect(MeterQuestion.ask(path: "/nowhere/at/all", patience: 0) == nil)
        #expect(MeterQuestion.ask(path: String(repeating: "x", count: 200), patience: 0) == nil)
    }
}
