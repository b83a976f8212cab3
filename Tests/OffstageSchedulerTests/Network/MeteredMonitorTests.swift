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

    /// Reads what comes until the answer is the wanted one.
    private func hear(_ wanted: Bool?, _ monitor: MeteredMonitor, within seconds: Double = 20) -> Bool {
        let limit = TimeLimit(seconds: seconds)
        while monitor.isMetered != wanted, !limit.isOver {
            var item = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, limit.milliseconds) == 1 else { break }
            _ = monitor.readable()
            if monitor.hasEnded { break }
        }
        return monitor.isMetered == wanted
    }

    @Test func `what the service says is heard, and heard again when it changes`() throws {
        let service = try bus.startManager(metered: 1)
        let monitor = try #require(MeteredMonitor(path: bus.path))
        #expect(hear(true, monitor))
        try bus.set("Metered", to: 4)
        #expect(hear(false, monitor))
        try bus.set("Metered", to: 3)
        #expect(hear(true, monitor))
        service.kill(SIGKILL)
        #expect(hear(nil, monitor))
        #expect(!monitor.hasEnded)
    }

    @Test func `a service that comes later is heard`() throws {
        let monitor = try #require(MeteredMonitor(path: bus.path))
        let service = try bus.startManager(metered: 3)
        defer { service.kill(SIGKILL) }
        #expect(hear(true, monitor))
    }

    @Test func `other properties change nothing`() throws {
        let service = try bus.startManager(metered: 2)
        defer { service.kill(SIGKILL) }
        let monitor = try #require(MeteredMonitor(path: bus.path))
        #expect(hear(false, monitor))
        for state in UInt32(1)...4 { try bus.set("Connectivity", to: state) }
        try bus.set("Metered", to: 1)
        #expect(hear(true, monitor))
    }

    @Test func `a bus that goes away ends it`() throws {
        let service = try bus.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        let monitor = try #require(MeteredMonitor(path: bus.path))
        #expect(hear(true, monitor))
        bus.stop()
        #expect(hear(nil, monitor))
        #expect(monitor.hasEnded || !hear(true, monitor, within: 1))
    }

    @Test func `the conditions know it, but for a network that is not there`() throws {
        let service = try bus.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        let monitor = system.monitor()
        try eventually("a metered network") { monitor.readable() ? true : nil }
        #expect(monitor.conditions.network == .metered)
        #expect(monitor.sources["network"] == "unknown: counts as a network, NetworkManager")
        monitor.network = .unmetered
        #expect(monitor.conditions.network == .metered)
        monitor.network = MachineConditions.Network.none
        #expect(monitor.conditions.network == .none)

        bus.stop()
        monitor.network = .unmetered
        try eventually("a network without a meter") { monitor.readable() ? true : nil }
        #expect(monitor.conditions.network == .unmetered)
        #expect(!monitor.look())
    }
}

@Suite struct `What a meter says` {
    @Test func `a guess counts as an answer`() {
        #expect((UInt32(0)...5).map(MeteredMonitor.isMetered) == [nil, true, false, true, false, nil])
    }

    @Test func `without a bus there is no monitor`() throws {
        #expect(MeteredMonitor(path: "/nowhere/at/all") == nil)
        #expect(MeteredMonitor(path: String(repeating: "x", count: 200)) == nil)
    }
}
