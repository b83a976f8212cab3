// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import OffstageTestSupport
import OffstageWork
import Testing

/// Waits for the monitor's descriptor as the daemon's loop does.
private func hears(_ monitor: ConditionMonitor, within seconds: Double) -> Bool {
    var item = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, Int32(seconds * 1000)) == 1
}

/// Calls `readable()` whenever the descriptor is readable, until that has changed the conditions.
private func hearChange(_ monitor: ConditionMonitor, within seconds: Double = 60) -> Bool {
    let limit = TimeLimit(seconds: seconds)
    while !limit.isOver {
        if hears(monitor, within: Double(limit.milliseconds) / 1000), monitor.readable() { return true }
    }
    return false
}

@Suite(.serialized) struct `Hearing of power supplies` {
    /// A device that every machine has, whose events the kernel sends when root requests them.
    private static let device = "/sys/devices/virtual/mem/null/uevent"
    private static let canSpeak =
        access(device, W_OK) == 0 && DeviceEventSocket.isSpokenTo(in: SystemFolder("/proc"))

    private static let supply = TestFiles.names(in: "/sys/class/power_supply").first

    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    @Test(.enabled(if: canSpeak, "only root may let the kernel speak of a device"))
    func `news of a device let power be read again`() throws {
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        try system.setSupply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
        let monitor = system.monitor(subsystem: "mem")
        #expect(monitor.nextLook(after: 100) == nil)
        try system.setSupply("AC", ["online": "0"])
        try TestFiles.write("change", to: Self.device)
        #expect(hearChange(monitor))
        #expect(!monitor.conditions.hasExternalPower)
    }

    @Test(.enabled(if: canSpeak, "only root may let the kernel speak of a device"))
    func `news of other devices wake nobody`() throws {
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        try system.setSupply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
        let monitor = system.monitor()
        let listener = try #require(DeviceEventSocket(subsystem: "mem"))
        try system.setSupply("AC", ["online": "0"])
        try TestFiles.write("change", to: Self.device)
        var item = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 20_000) == 1)
        #expect(!hears(monitor, within: 0))
        #expect(monitor.conditions.hasExternalPower)
    }

    @Test(.enabled(if: canSpeak, "only root may let the kernel speak of a device"))
    func `nothing is heard while nobody waits`() throws {
        let monitor = system.monitor(subsystem: "mem")
        let listener = try #require(DeviceEventSocket(subsystem: "mem"))
        monitor.wantsChanges = false
        try TestFiles.write("change", to: Self.device)
        var item = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 20_000) == 1)
        #expect(!hears(monitor, within: 0))
        monitor.wantsChanges = true
        try TestFiles.write("change", to: Self.device)
        #expect(hears(monitor, within: 20))
    }

    @Test(.enabled(if: canSpeak, "only root may let the kernel speak of a device"))
    func `nothing is heard any more although a child holds the socket`() throws {
        let monitor = system.monitor(subsystem: "mem")
        let listener = try #require(DeviceEventSocket(subsystem: "mem"))
        // As in a process that has just been forked and has not executed another program yet.
        let held = Self.deviceSockets.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        defer { for descriptor in held { close(descriptor) } }
        #expect(!held.isEmpty)
        monitor.wantsChanges = false
        try TestFiles.write("change", to: Self.device)
        var item = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 20_000) == 1)
        #expect(!hears(monitor, within: 0))
    }

    /// The descriptors of this process on which the kernel sends device events.
    private static var deviceSockets: [Int32] {
        TestFiles.names(in: "/proc/self/fd").compactMap { Int32($0) }.filter { descriptor in
            var (family, kind) = (Int32(0), Int32(0))
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0, family == AF_NETLINK else {
                return false
            }
            return getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &kind, &length) == 0
                && kind == 15  // NETLINK_KOBJECT_UEVENT
        }
    }

    @Test(.enabled(if: canSpeak && supply != nil, "this machine has no power supply"))
    func `news of a real supply are heard`() throws {
        let listener = try #require(DeviceEventSocket(subsystem: "power_supply"))
        try TestFiles.write("change", to: "/sys/class/power_supply/\(try #require(Self.supply))/uevent")
        var item = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&item, 1, 20_000) == 1)
        #expect(listener.readable())
    }

    @Test func `a user namespace of its own is told from the machine's`() throws {
        #expect(DeviceEventSocket.isSpokenTo(in: system.proc))
        try system.setNamespace("         0       1000          1")
        #expect(!DeviceEventSocket.isSpokenTo(in: system.proc))
        #expect(DeviceEventSocket.isSpokenTo(in: SystemFolder("/nowhere")))
    }
}

@Suite(.serialized, .enabled(if: PressureGroup.isPossible, "needs pressure stall information and cgroup v2"))
struct `Hearing of the load` {
    private let system: FakeSystem
    /// A group with the pressure of its own programs only, whatever else the machine does.
    private let group: PressureGroup

    init() throws {
        system = try FakeSystem()
        group = try PressureGroup()
        try system.linkPressure(to: group.file)
    }

    @Test func `programs that wait for a processor make the machine busy`() throws {
        let monitor = system.monitor()
        // Not listening for devices, whose events other tests cause.
        monitor.wantsChanges = false
        monitor.wantsLoad = true
        #expect(monitor.nextLook(after: 100) == nil)
        let programs = try group.startRivals()
        defer { for program in programs { program.kill(SIGKILL) } }
        #expect(hearChange(monitor))
        #expect(monitor.conditions.isBusy)
        // From now on the monitor polls, and the kernel is silent.
        #expect(monitor.nextLook(after: 100) == 110)
        #expect(!hears(monitor, within: 3))

        for program in programs { program.kill(SIGKILL) }
        try eventually("an idle machine", within: 60) { monitor.look() ? true : nil }
        #expect(!monitor.conditions.isBusy)
        #expect(monitor.nextLook(after: 100) == nil)
    }

    @Test func `while runs that need an idle machine are on, their load is looked at and wakes nobody`() throws {
        let monitor = system.monitor()
        monitor.wantsChanges = false
        monitor.wantsLoad = true
        monitor.ownRuns = []
        let programs = try startHeardRivals()
        defer { for program in programs { program.kill(SIGKILL) } }
        #expect(!hears(monitor, within: 3))
        #expect(monitor.nextLook(after: 100) == 110)
        monitor.ownRuns = nil
        #expect(hearChange(monitor))
    }

    @Test func `an idle machine wakes nobody`() throws {
        let monitor = system.monitor()
        monitor.wantsChanges = false
        monitor.wantsLoad = true
        #expect(monitor.nextLook(after: 100) == nil)
        #expect(!hears(monitor, within: 5))
    }

    @Test func `a busy machine wakes nobody when nobody waits`() throws {
        let monitor = system.monitor()
        monitor.wantsChanges = false
        let programs = try startHeardRivals()
        defer { for program in programs { program.kill(SIGKILL) } }
        #expect(!hears(monitor, within: 3))
    }

    /// Starts programs that wait for the processor; returns once the kernel has reported them to another listener.
    private func startHeardRivals() throws -> [ChildProcess] {
        let listener = try #require(PressureTrigger(path: group.file, stall: LoadMonitor.stall))
        let programs = try group.startRivals()
        var item = pollfd(fd: listener.descriptor, events: Int16(POLLPRI), revents: 0)
        #expect(poll(&item, 1, 60_000) == 1)
        return programs
    }

    @Test func `a pressure file that goes away is not heard for ever`() throws {
        let monitor = system.monitor()
        monitor.wantsChanges = false
        monitor.wantsLoad = true
        group.remove()
        while hears(monitor, within: 1) { #expect(!monitor.readable()) }
        #expect(monitor.nextLook(after: 100) != nil)
    }
}

@Suite struct `Hearing nothing of the load` {
    @Test func `a bus that is not there closes nothing but its own socket`() throws {
        let lost = try DescriptorRival.lost {
            for _ in 0..<20_000 { #expect(MeterQuestion.ask(path: "/nowhere/bus", patience: 0) == nil) }
        }
        #expect(lost == 0)
    }
}
