// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageWork
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

    /// As the daemon does it, on its own thread.
    private func ask(_ monitor: ConditionMonitor) {
        if let question = monitor.meterQuestion { monitor.receiveMeter(question()) }
    }

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
            ask(monitor)
            return monitor.conditions.network == .metered ? true : nil
        }
        #expect(monitor.sources["network"] == "unknown: counts as a network, NetworkManager")
        monitor.network = MachineConditions.Network.none
        #expect(monitor.conditions.network == .none)

        bus.stop()
        monitor.network = .unmetered
        try eventually("an unmetered network") {
            ask(monitor)
            return monitor.conditions.network == .unmetered ? true : nil
        }
    }

    @Test func `changes of the network wake nobody`() throws {
        let service = try bus.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        let monitor = system.monitor()
        ask(monitor)
        try bus.set("Metered", to: 4)
        #expect(ask() == false)
        // Device events, which other tests cause, are not network events.
        var item = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 0) == 0)
    }

    @Test func `while a transfer depends on it, changes are heard of`() throws {
        let service = try bus.startManager(metered: 1)
        let monitor = system.monitor()
        monitor.wantsMeter = true
        #expect(!monitor.isMeterKnown)
        try hear(monitor, .metered)
        #expect(monitor.isMeterKnown)
        try bus.set("Metered", to: 4)
        try hear(monitor, .unmetered)
        try bus.set("Metered", to: 3)
        try hear(monitor, .metered)
        // The service is gone, and then another takes its place.
        service.kill(SIGKILL)
        try hear(monitor, .unmetered)
        let other = try bus.startManager(metered: 1)
        defer { other.kill(SIGKILL) }
        try hear(monitor, .metered)
        monitor.wantsMeter = false
        try bus.set("Metered", to: 2)
        var item = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 0) == 0)
    }

    @Test func `a bus that comes back is found at the next look`() throws {
        let monitor = system.monitor()
        bus.stop()
        try eventually("no bus") { ask() == nil ? true : nil }
        monitor.wantsMeter = true
        #expect(monitor.isMeterKnown, "nobody can be asked")
        #expect(monitor.nextLook(after: 100) == 100 + ConditionMonitor.slowPause)
        unlink(bus.path)
        let again = try PrivateBus(in: system.directory)
        let service = try again.startManager(metered: 1)
        defer { service.kill(SIGKILL) }
        _ = monitor.look(at: 160)
        try hear(monitor, .metered)
    }

    /// Waits until the monitor has the network in this state.
    private func hear(_ monitor: ConditionMonitor, _ network: MachineConditions.Network) throws {
        try eventually("a network that is \(network)") {
            _ = monitor.readable()
            return monitor.conditions.network == network ? true : nil
        }
    }
}

@Suite struct `What a network costs` {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    @Test func `a network is a mobile one when every way out is a modem's`() throws {
        try system.setLink("wwan0", 4, isModem: true)
        try system.setLink("wlan0", 5, isModem: false)
        let monitor = system.monitor()
        monitor.links = [4]
        #expect(monitor.conditions.network == .unmetered, "nobody wants to know")
        monitor.wantsMeter = true
        #expect(monitor.conditions.network == .cellular)
        monitor.links = [4, 5]
        #expect(monitor.conditions.network == .unmetered)
        monitor.links = [5]
        #expect(monitor.conditions.network == .unmetered)
        monitor.links = [4]
        #expect(monitor.conditions.network == .cellular)
        monitor.network = MachineConditions.Network.none
        #expect(monitor.conditions.network == .none)
        monitor.network = .unmetered
        monitor.links = [4, 77]
        #expect(monitor.conditions.network == .unmetered, "of a link that is not there nothing is known")
    }

    @Test func `a bus that says nothing is not waited for without end`() throws {
        let silent = try SilentSocket(at: system.directory.path("bus"))
        defer { silent.close() }
        let monitor = system.monitor()
        monitor.wantsMeter = true
        #expect(!monitor.isMeterKnown)
        #expect(monitor.nextLook(after: 100) == 102)
        #expect(!monitor.look(at: 101))
        #expect(!monitor.isMeterKnown)
        #expect(monitor.look(at: 102))
        #expect(monitor.isMeterKnown)
        #expect(monitor.conditions.network == .unmetered)
    }

    @Test func `a bus that refuses is news, and no later attempt makes it unknown again`() throws {
        let path = system.directory.path("bus")
        let bus = try SilentSocket(at: path)
        let monitor = system.monitor()
        monitor.wantsMeter = true
        #expect(!monitor.isMeterKnown)
        bus.close()
        #expect(monitor.readable())
        #expect(monitor.isMeterKnown)
        unlink(path)
        let again = try SilentSocket(at: path)
        defer { again.close() }
        #expect(!monitor.look(at: 160))
        #expect(monitor.isMeterKnown)
        // Another transfer, later: an answer is available to a new question.
        monitor.wantsMeter = false
        monitor.wantsMeter = true
        #expect(!monitor.isMeterKnown)
    }

    @Test func `a silent bus is waited for on a mobile network as well, which may become another one`() throws {
        try system.setLink("wwan0", 4, isModem: true)
        try system.setLink("wlan0", 5, isModem: false)
        let silent = try SilentSocket(at: system.directory.path("bus"))
        defer { silent.close() }
        let monitor = system.monitor()
        monitor.links = [4]
        monitor.wantsMeter = true
        #expect(monitor.isMeterKnown)
        #expect(monitor.nextLook(after: 100) == 102)
        #expect(!monitor.look(at: 102))
        monitor.links = [5]
        #expect(monitor.isMeterKnown)
        #expect(monitor.conditions.network == .unmetered)
    }

    @Test func `a bus that talks on and on is waited for no longer than a silent one`() throws {
        let path = system.directory.path("bus")
        let bus = try SilentSocket(at: path)
        defer { bus.close() }
        var (seconds, asked) = (0.0, 0)
        let answer = MeterQuestion.ask(path: path, patience: 100) {
            bus.say("x")
            seconds += 0.03
            asked += 1
            return seconds
        }
        #expect(answer == nil)
        #expect(asked == 5)
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
