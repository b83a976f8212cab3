// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// The machine's conditions for deferred work. Changes are received from the kernel if it reports them.
///
/// Used only on the daemon's loop: not `Sendable`, and it never waits. It does nothing by itself: its owner watches
/// `descriptor`, and calls `look()` at the time of `nextLook(after:)`, after a jump of the clock and after changing a
/// wish.
package final class ConditionMonitor {
    /// Watch it for reading: an epoll descriptor, which stays the same while the watched descriptors change. -1 if
    /// there is none.
    package let descriptor: Int32

    /// The network's condition, which others watch; nil if unknown, which counts as a network. `meterQuestion` finds
    /// out whether it is metered.
    package var network: MachineConditions.Network? {
        didSet { if wantsMeter { lookAtLinks() } }
    }

    /// The links that lead to other networks, by their indices, which others watch.
    package var links: Set<Int32> = [] {
        didSet { if wantsMeter, links != oldValue { lookAtLinks() } }
    }

    /// Whether to use the network as little as possible: a person's setting.
    package var isDataLow = false

    /// Whether any request waits or runs: without one, neither power nor the disk is watched.
    package var wantsChanges = true {
        didSet { if wantsChanges != oldValue { listen() } }
    }

    /// Whether a request that needs an idle machine is due or runs: without one, the load is not watched.
    package var wantsLoad = false {
        didSet { if wantsLoad != oldValue { listen() } }
    }

    /// Whether any transfer depends on the network's cost: without one, nobody is asked.
    package var wantsMeter = false {
        didSet {
            guard wantsMeter != oldValue else { return }
            if wantsMeter { lookAtLinks() }
            hearMeter()
        }
    }

    /// Whether the network's cost is known, or cannot be known. Meaningful while it is wanted.
    package var isMeterKnown: Bool { isCellular || meter?.isAnswered ?? true || hasWaitedForMeter }

    /// The apps of the runs that need an idle machine; nil while there is no such run. Their own load does not make the
    /// machine busy, and is not watched. A change may change the conditions.
    package var ownRuns: Set<OwnRun>? {
        get { load.ownRuns }
        set {
            load.setOwnRuns(newValue)
            listen()
        }
    }

    /// The present conditions, as far as they have been reported or read.
    package var conditions: MachineConditions {
        let reach = network ?? .unmetered
        return MachineConditions(
            network: reach != .unmetered ? reach : isCellular ? .cellular : isMetered == true ? .metered : reach,
            hasExternalPower: power.hasExternalPower,
            batteryCharge: power.charge,
            isBusy: load.isBusy,
            isDiskFull: isDiskFull,
            isDataLow: isDataLow
        )
    }

    private let sys: SystemFolder
    private let store: String
    private let subsystem: String
    private let isSpokenTo: Bool
    private let bus: String
    private let load: LoadMonitor
    private var supplies: [PowerSupply] = []
    private var power = PowerState([])
    private var isDiskFull = false
    /// NetworkManager's last answer.
    private var isMetered: Bool?
    /// Whether the links are those of modems, as far as they have been read.
    private var isCellular = false
    /// Exists while a transfer depends on the network's cost.
    private var meter: MeterQuestion?
    /// When the wait for the first answer ends, and whether it has ended.
    private var meterDue: Double?
    private var hasWaitedForMeter = false
    private var devices: DeviceEventSocket?
    /// Exists while the machine is idle and its load is watched.
    private var trigger: PressureTrigger?
    /// The time of the next look, kept until then however often it is asked for.
    private var due: Double?

    /// Seconds between looks at the load when the kernel does not report it: for its end, and always without a trigger.
    package static let loadPause = 10.0
    /// Seconds between looks at a full disk, and at power that the kernel does not report.
    package static let slowPause = 60.0

    /// Seconds for NetworkManager's answer; without one it counts as unknown.
    package static let meterPatience = 2.0

    private enum Token: UInt64 {
        case devices = 1
        case trigger
        case meter
    }

    /// Learns the present state before it returns.
    ///
    /// - Parameters:
    ///   - store: a folder on the disk that must not be full.
    ///   - sys: the path of sysfs, or of a folder like it.
    ///   - proc: the path of procfs, or of a folder like it.
    ///   - bus: the socket of the system's D-Bus.
    ///   - subsystem: the devices whose events cause power to be read again.
    ///   - processors: their number; nil to ask the system.
    package init(
        store: String,
        sys: String = "/sys",
        proc: String = "/proc",
        bus: String = "/run/dbus/system_bus_socket",
        subsystem: String = "power_supply",
        processors: Int? = nil
    ) {
        let proc = SystemFolder(proc)
        self.sys = SystemFolder(sys)
        self.store = store
        self.bus = bus
        self.subsystem = subsystem
        isSpokenTo = DeviceEventSocket.isSpokenTo(in: proc)
        load = LoadMonitor(proc: proc, processors: processors ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        descriptor = offstage_epoll_create()
        listen()
        _ = look()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Handles events. Call it whenever `descriptor` is readable.
    ///
    /// - Returns: whether the conditions have changed.
    package func readable() -> Bool {
        let before = conditions
        if triggerHasFailed(), let failed = trigger {
            unwatch(failed.descriptor)
            trigger = nil
        }
        if devices?.readable() == true { lookAtPower() }
        let becameKnown = meter?.readable() ?? false
        if becameKnown { isMetered = meter?.isMetered }
        if let ended = meter, ended.hasEnded {
            unwatch(ended.descriptor)
            meter = nil
        }
        // The kernel's report comes long before the mean of 10 s shows the same, and repeats until then.
        if trigger != nil { load.look() }
        listen()
        return becameKnown || conditions != before
    }

    /// Reads everything again.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: whether the conditions have changed.
    package func look(at uptime: Double = 0) -> Bool {
        let before = conditions
        due = nil
        let gaveUp = giveUpOnMeter(at: uptime)
        hearMeter()
        lookAtPower()
        load.look()
        _ = lookAtDisk()
        listen()
        return gaveUp || conditions != before
    }

    /// Reads the free space, which nobody reports: one system call.
    ///
    /// - Returns: whether the conditions have changed.
    package func lookAtDisk() -> Bool {
        let before = isDiskFull
        isDiskFull = DiskSpace.free(at: store).map { $0 < DiskSpace.leastFree } ?? false
        return isDiskFull != before
    }

    /// When to look again, because nobody reports.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: a time of that clock; nil while the kernel reports everything wanted.
    package func nextLook(after uptime: Double) -> Double? {
        var pause: Double?
        if wantsLoad, trigger == nil {
            pause = Self.loadPause
        } else if wantsChanges, isDiskFull || (power.hasBattery && !hearsPower) {
            pause = Self.slowPause
        }
        if wantsMeter, meter == nil { pause = min(pause ?? .infinity, Self.slowPause) }
        if !isMeterKnown { meterDue = meterDue ?? uptime + Self.meterPatience }
        due = pause.map { min(due ?? .infinity, uptime + $0) }
        return [due, isMeterKnown ? nil : meterDue].compactMap(\.self).min()
    }

    private var hearsPower: Bool { devices != nil && isSpokenTo }

    private func lookAtPower() {
        supplies = PowerSupply.all(in: sys)
        power = PowerState(supplies)
    }

    /// Opens the wanted sources and closes the others.
    private func listen() {
        if !wantsChanges {
            if let devices { unwatch(devices.descriptor) }
            devices = nil
        } else if devices == nil, let socket = DeviceEventSocket(subsystem: subsystem),
            watch(socket.descriptor, .devices, offstage_epoll_in)
        {
            devices = socket
        }
        // The runs' own threads would let the trigger fire every two seconds.
        if !wantsLoad || load.isBusy || load.ownRuns != nil {
            if let trigger { unwatch(trigger.descriptor) }
            trigger = nil
        } else if trigger == nil, let fresh = load.makeTrigger(),
            watch(fresh.descriptor, .trigger, offstage_epoll_pri)
        {
            trigger = fresh
        }
    }

    /// A question about the network's cost, for people, if no transfer depends on it and so nothing is watched. Nil if
    /// it is watched.
    ///
    /// It waits for up to a tenth of a second of silence, so call it on a thread of its own; the answer goes to
    /// `heardMeter(_:)`.
    package var meterQuestion: (@Sendable () -> Bool?)? {
        guard !wantsMeter else { return nil }
        return { [bus] in MeterQuestion.ask(path: bus, patience: Self.patienceForPeople) }
    }

    /// Takes the answer to `meterQuestion`, unless it has become known in the meantime.
    package func heardMeter(_ isMetered: Bool?) {
        guard !wantsMeter else { return }
        lookAtLinks()
        self.isMetered = isMetered
    }

    /// Milliseconds.
    private static let patienceForPeople: Int32 = 100

    /// Listens to NetworkManager while that is wanted; a missing bus is tried again at the next look.
    private func hearMeter() {
        guard wantsMeter else {
            if let meter { unwatch(meter.descriptor) }
            meter = nil
            return
        }
        guard meter == nil else { return }
        meterDue = nil
        hasWaitedForMeter = false
        guard let fresh = MeterQuestion(watching: bus), watch(fresh.descriptor, .meter, offstage_epoll_in) else {
            isMetered = nil
            return
        }
        meter = fresh
    }

    /// - Returns: whether the wait for the answer has just ended.
    private func giveUpOnMeter(at uptime: Double) -> Bool {
        guard let meterDue, uptime >= meterDue, !isMeterKnown else { return false }
        isMetered = nil
        hasWaitedForMeter = true
        return true
    }

    private func lookAtLinks() {
        isCellular = CellularLinks.areAll(links, in: sys)
    }

    private func watch(_ opened: Int32, _ token: Token, _ events: UInt32) -> Bool {
        descriptor >= 0 && offstage_epoll_ctl(descriptor, offstage_epoll_add, opened, events, token.rawValue) == 0
    }

    /// Before the descriptor is closed, because a child that has just been forked holds it, too, and epoll reports
    /// files that are open anywhere.
    private func unwatch(_ opened: Int32) {
        _ = offstage_epoll_ctl(descriptor, offstage_epoll_del, opened, 0, 0)
    }

    /// Whether the pressure file has gone: it would be readable for ever.
    private func triggerHasFailed() -> Bool {
        var tokens = [UInt64](repeating: 0, count: 2)
        var events = [UInt32](repeating: 0, count: 2)
        let count = offstage_epoll_wait(descriptor, &tokens, &events, 2, 0)
        return (0..<Int(max(0, count))).contains {
            tokens[$0] == Token.trigger.rawValue && events[$0] & offstage_epoll_err != 0
        }
    }
}

extension ConditionMonitor {
    /// A few words for people on the source of each condition: `network`, `power`, `battery`, `load`, `disk` and
    /// `lowdata`.
    package var sources: [String: String] {
        let batteries = supplies.filter(\.isBattery).map(\.name)
        let pause = hearsPower ? "" : ", checked every minute"
        let all = supplies.map(\.name).joined(separator: ", ")
        let links = network == nil ? "unknown: counts as a network" : "links, addresses and routes"
        return [
            "network": links + (isMetered == nil ? "" : ", NetworkManager"),
            "power": batteries.isEmpty ? "no battery: counts as external" : all + pause,
            "battery": batteries.isEmpty ? "no battery" : batteries.joined(separator: ", ") + pause,
            "load": load.source,
            "disk": "free space beside the store",
            "lowdata": "the setting lowDataMode",
        ]
    }
}

extension PowerSupply {
    fileprivate var isBattery: Bool {
        if case .battery = role { true } else { false }
    }
}
