// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// Knows what of the machine decides whether deferred work may run, and hears of its changes where the kernel tells.
///
/// Used on the daemon's loop alone: not `Sendable`, and never waiting. Nothing happens by itself: its owner watches `descriptor`, and calls `look()` when the time of `nextLook(after:)` has come, when the clock has jumped and after it
/// has changed a wish.
package final class ConditionMonitor {
    /// To be watched for reading: an epoll of its own, so that it stays the same while what is heard changes. -1 when
    /// there is none.
    package let descriptor: Int32

    /// What the network allows, which others watch; nil when it is not known, which counts as a network. Whether one that
    /// is there is metered, `meterQuestion` finds out.
    package var network: MachineConditions.Network? {
        didSet { if wantsMeter { lookAtLinks() } }
    }

    /// The links that lead to other networks, by their indices, which others watch.
    package var links: Set<Int32> = [] {
        didSet { if wantsMeter, links != oldValue { lookAtLinks() } }
    }

    /// Whether as little as possible is to go over the network, which no machine says: a person's setting.
    package var isDataLow = false

    /// Whether any request waits or runs: without one, neither power nor the disk wakes anybody.
    package var wantsChanges = true {
        didSet { if wantsChanges != oldValue { listen() } }
    }

    /// Whether a request that needs an idle machine is due or runs: without one, the load wakes nobody.
    package var wantsLoad = false {
        didSet { if wantsLoad != oldValue { listen() } }
    }

    /// Whether any transfer depends on what the network costs: without one, nobody is asked.
    package var wantsMeter = false {
        didSet {
            guard wantsMeter != oldValue else { return }
            if wantsMeter { lookAtLinks() }
            hearMeter()
        }
    }

    /// Whether what the network costs is known, or cannot be known. Of use while it is wanted.
    package var isMeterKnown: Bool { isCellular || meter?.isAnswered ?? true || hasWaitedForMeter }

    /// The apps of the runs that need an idle machine; nil while there is no such run. Their own load does not make the
    /// machine busy, and is not listened to. May change the conditions.
    package var ownRuns: Set<OwnRun>? {
        get { load.ownRuns }
        set {
            load.setOwnRuns(newValue)
            listen()
        }
    }

    /// What holds now, as far as it has been heard or looked at.
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
    /// What NetworkManager said last.
    private var isMetered: Bool?
    /// Whether the links are those of modems, as far as it was looked at.
    private var isCellular = false
    /// There while a transfer depends on what the network costs.
    private var meter: MeterQuestion?
    /// When the first answer is not waited for any longer, and whether that was so.
    private var meterDue: Double?
    private var hasWaitedForMeter = false
    private var devices: DeviceEventSocket?
    /// There while the machine is idle and somebody wants to know when it is not any more.
    private var trigger: PressureTrigger?
    /// When to look again: kept until it has been done, however often it is asked for.
    private var due: Double?

    /// Seconds between looks at a load of which the kernel does not tell: that it is over, and without a trigger any.
    package static let loadPause = 10.0
    /// Seconds between looks at a full disk, and at power of which the kernel does not tell.
    package static let slowPause = 60.0

    /// Seconds that NetworkManager has to say something; then it counts as not knowing.
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
    ///   - sys: where sysfs is, or a folder that looks like it.
    ///   - proc: where procfs is, or a folder that looks like it.
    ///   - bus: the socket of the system's D-Bus.
    ///   - subsystem: the devices whose news let power be read again.
    ///   - processors: how many there are; nil to ask the system.
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

    /// Takes in what has been heard. To be called whenever `descriptor` is readable.
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
        // The kernel's word comes long before the mean of 10 s says the same, and again until it does.
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

    /// Reads how much room is left: one call, of which nobody tells.
    ///
    /// - Returns: whether the conditions have changed.
    package func lookAtDisk() -> Bool {
        let before = isDiskFull
        isDiskFull = DiskSpace.free(at: store).map { $0 < DiskSpace.leastFree } ?? false
        return isDiskFull != before
    }

    /// When to look again, since nobody tells.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: a time of that clock; nil while the kernel would tell of all that is wanted.
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

    /// Opens what is wanted and closes what is not.
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

    /// Asks what the network costs, for people: where no transfer depends on it, nobody listens. Nil where somebody does.
    ///
    /// It waits for a tenth of a second's silence, so it is to be called on a thread of its own; the answer goes to
    /// `heardMeter(_:)`.
    package var meterQuestion: (@Sendable () -> Bool?)? {
        guard !wantsMeter else { return nil }
        return { [bus] in MeterQuestion.ask(path: bus, patience: Self.patienceForPeople) }
    }

    /// Takes the answer to `meterQuestion`, unless it has become known otherwise meanwhile.
    package func heardMeter(_ isMetered: Bool?) {
        guard !wantsMeter else { return }
        lookAtLinks()
        self.isMetered = isMetered
    }

    /// Milliseconds.
    private static let patienceForPeople: Int32 = 100

    /// Listens to NetworkManager while that is wanted; a bus that is not there is looked for again at the next look.
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

    /// - Returns: whether the answer is not waited for any longer, from now on.
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

    /// Before the descriptor is closed: a child that has just been forked holds it too, and what is open somewhere is
    /// reported on.
    private func unwatch(_ opened: Int32) {
        _ = offstage_epoll_ctl(descriptor, offstage_epoll_del, opened, 0, 0)
    }

    /// Whether the pressure file has gone: it would be ready for ever.
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
    /// A few words for people on where each condition comes from: `network`, `power`, `battery`, `load`,
    /// `disk` and `lowdata`.
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
