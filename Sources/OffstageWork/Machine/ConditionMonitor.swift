// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageRuntime

/// Monitors the machine's conditions that decide whether deferred work may run, and receives the changes that the
/// kernel reports: of power (`PowerMonitor`), load (`LoadMonitor`), the disk (`DiskMonitor`), and the network's cost
/// (`MeterMonitor`).
///
/// Only used on the daemon's loop: not `Sendable`, and never waits after its init. It does nothing unless called. Its
/// owner watches `descriptor`, and calls `look()` at the time of `nextLook(after:)`, when the clock has jumped, and
/// after changing a wish. With each look it also queries the disk, unless the last query is still unanswered.
package final class ConditionMonitor {
    /// Watch it for reading: an epoll descriptor, which stays the same while the watched descriptors change. -1 if
    /// there is none.
    package var descriptor: Int32 { watched.descriptor }

    /// The network's condition, which is watched elsewhere; nil if unknown, which counts as a network. `meterQuestion`
    /// finds out whether it is metered.
    package var network: MachineConditions.Network? {
        didSet { meter.networkChanged() }
    }

    /// The indices of the links that lead to other networks, which are watched elsewhere.
    package var links: Set<Int32> {
        get { meter.links }
        set { meter.links = newValue }
    }

    /// Whether to use the network as little as possible: a person's setting.
    package var isDataLow = false

    /// Whether any request is waiting or running: without one, neither power nor the disk is watched.
    package var wantsChanges: Bool {
        didSet { if wantsChanges != oldValue { listen() } }
    }

    /// Whether a request that needs an idle machine is due or running: without one, the load is not watched.
    package var wantsLoad = false {
        didSet { if wantsLoad != oldValue { listen() } }
    }

    /// Whether any transfer depends on the network's cost: without one, it is not queried.
    package var wantsMeter: Bool {
        get { meter.isWanted }
        set { meter.isWanted = newValue }
    }

    /// Whether the network's cost is known, or cannot be known. Only meaningful while it is wanted.
    package var isMeterKnown: Bool { meter.isKnown }

    /// The apps of the runs that need an idle machine; nil while there is no such run. Their own load does not make the
    /// machine busy, and is not watched. A change may change the conditions.
    package var ownRuns: Set<OwnRun>? {
        get { load.ownRuns }
        set {
            load.setOwnRuns(newValue)
            listen()
        }
    }

    /// The present conditions, as far as reported or read.
    package var conditions: MachineConditions {
        let reach = network ?? .unmetered
        return MachineConditions(
            network: reach != .unmetered ? reach : meter.network,
            hasExternalPower: power.state.hasExternalPower,
            batteryCharge: power.state.charge,
            isBusy: load.isBusy,
            isDiskFull: disk.isFull,
            isDataLow: isDataLow
        )
    }

    private let watched = WatchedDescriptors()
    private let power: PowerMonitor
    private let load: LoadMonitor
    private let meter: MeterMonitor
    private let disk: DiskMonitor
    /// Set while the machine is idle and the end of that is of interest.
    private var trigger: PressureTrigger?
    /// The time of the next look, which does not change however often it is requested.
    private var due: Double?

    /// Seconds between looks at the load if the kernel does not report it: for its end, and always without a trigger.
    package static let loadPause = 10.0
    /// Seconds between looks at a full disk, and at power if the kernel does not report it.
    package static let slowPause = 60.0

    /// Reads the present state before it returns.
    ///
    /// - Parameters:
    ///   - store: a folder on the disk that must not be full.
    ///   - sources: the sources of the conditions.
    ///   - processors: their number; nil to query the system.
    ///   - wantsChanges: whether to listen for changes from the start.
    package init(
        store: String,
        sources: MachineSources = MachineSources(),
        processors: Int? = nil,
        wantsChanges: Bool = true
    ) {
        self.wantsChanges = wantsChanges
        let (sys, proc) = (SystemFolder(sources.sys), SystemFolder(sources.proc))
        disk = DiskMonitor(store: store, space: sources.space)
        power = PowerMonitor(sys: sys, proc: proc, subsystem: sources.subsystem, watched: watched)
        load = LoadMonitor(proc: proc, processors: processors ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        meter = MeterMonitor(sys: sys, bus: sources.bus, watched: watched)
        listen()
        _ = look()
    }

    /// Handles received reports. Call it whenever `descriptor` is readable.
    ///
    /// - Returns: whether the conditions have changed, or the network's cost has become known.
    package func readable() -> Bool {
        let before = (conditions, isMeterKnown)
        if watched.hasFailed(.trigger), let failed = trigger {
            watched.remove(failed.descriptor)
            trigger = nil
        }
        power.receiveNews()
        meter.receiveNews()
        // The kernel's report comes long before the mean of 10 s confirms it, and repeats until it does.
        if trigger != nil { load.look() }
        listen()
        return before != (conditions, isMeterKnown)
    }

    /// Reads everything again except the disk.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: whether the conditions have changed, or the network's cost has become known.
    package func look(at uptime: Double = 0) -> Bool {
        let before = (conditions, isMeterKnown)
        due = nil
        meter.giveUp(at: uptime)
        meter.listen()
        power.look()
        load.look()
        listen()
        return before != (conditions, isMeterKnown)
    }

    /// Whether the disk was queried and has not answered yet.
    package var isDiskAsked: Bool { disk.isAsked }

    /// A query for the free space, which is never reported; nil while the last one is unanswered.
    ///
    /// It may block forever, so call it on a separate thread; pass the answer to `receiveDisk(_:)`.
    package func makeDiskQuestion() -> (@Sendable () -> Bool)? { disk.makeQuestion() }

    /// Receives the answer to the query: whether the disk is full; nil if it was never asked, in which case the last
    /// answer still holds.
    ///
    /// - Returns: whether the conditions have changed.
    package func receiveDisk(_ isFull: Bool?) -> Bool {
        let before = conditions
        disk.receive(isFull)
        return conditions != before
    }

    /// The time of the next look, for conditions that are not reported.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: a time of that clock; nil if the kernel reports everything wanted.
    package func nextLook(after uptime: Double) -> Double? {
        var pause: Double?
        if wantsLoad, trigger == nil {
            pause = Self.loadPause
        } else if wantsChanges, disk.isFull || power.mustBeLookedAt {
            pause = Self.slowPause
        }
        if meter.lacksBus { pause = min(pause ?? .infinity, Self.slowPause) }
        due = pause.map { min(due ?? .infinity, uptime + $0) }
        return [due, meter.deadline(after: uptime)].compactMap(\.self).min()
    }

    /// Opens the wanted sources and closes the others.
    private func listen() {
        power.listen(wantsChanges)
        // The runs' own threads would fire the trigger every two seconds.
        if !wantsLoad || load.isBusy || load.ownRuns != nil {
            if let trigger { watched.remove(trigger.descriptor) }
            trigger = nil
        } else if trigger == nil, let fresh = load.makeTrigger(),
            watched.add(fresh.descriptor, .trigger, offstage_epoll_pri)
        {
            trigger = fresh
        }
    }

    /// A query for the network's cost, for people, if no transfer depends on it and it is therefore not watched. Nil if
    /// it is watched.
    ///
    /// It waits for up to a tenth of a second, so call it on a separate thread; the answer goes to `receiveMeter(_:)`.
    package var meterQuestion: (@Sendable () -> Bool?)? { meter.questionForPeople }

    /// Receives the answer to `meterQuestion`, unless the cost has become known in another way meanwhile.
    package func receiveMeter(_ isMetered: Bool?) { meter.receive(isMetered) }

    /// The source of each condition, in a few words for people: `network`, `power`, `battery`, `load`, `disk` and
    /// `lowdata`.
    package var sources: [String: String] {
        let links = network == nil ? "unknown: counts as a network" : "links, addresses and routes"
        return [
            "network": links + (meter.isMetered == nil ? "" : ", NetworkManager"),
            "power": power.sources.power,
            "battery": power.sources.battery,
            "load": load.source,
            "disk": "free space beside the store" + (isDiskAsked ? ", as it was: the disk does not answer" : ""),
            "lowdata": "the setting lowDataMode",
        ]
    }
}
