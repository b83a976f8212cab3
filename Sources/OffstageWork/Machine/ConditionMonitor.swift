// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageRuntime

/// Knows what of the machine decides whether deferred work may run, and hears of its changes where the kernel tells: of power
/// (`PowerMonitor`), load (`LoadMonitor`), the disk (`DiskMonitor`), and what the network costs (`MeterMonitor`).
///
/// Used on the daemon's loop alone: not `Sendable`, and never waiting after its init. Nothing happens by itself: its owner
/// watches `descriptor`, and calls `look()` when the time of `nextLook(after:)` has come, when the clock has jumped and after
/// it has changed a wish. Beside each look it has the disk asked, unless the last question has no answer.
package final class ConditionMonitor {
    /// Watch it for reading: an epoll descriptor, which stays the same while the watched descriptors change. -1 if
    /// there is none.
    package var descriptor: Int32 { watched.descriptor }

    /// The network's condition, which others watch; nil if unknown, which counts as a network. `meterQuestion` finds
    /// out whether it is metered.
    package var network: MachineConditions.Network? {
        didSet { meter.networkChanged() }
    }

    /// The links that lead to other networks, by their indices, which others watch.
    package var links: Set<Int32> {
        get { meter.links }
        set { meter.links = newValue }
    }

    /// Whether to use the network as little as possible: a person's setting.
    package var isDataLow = false

    /// Whether any request waits or runs: without one, neither power nor the disk is watched.
    package var wantsChanges: Bool {
        didSet { if wantsChanges != oldValue { listen() } }
    }

    /// Whether a request that needs an idle machine is due or runs: without one, the load is not watched.
    package var wantsLoad = false {
        didSet { if wantsLoad != oldValue { listen() } }
    }

    /// Whether any transfer depends on what the network costs: without one, nobody is asked.
    package var wantsMeter: Bool {
        get { meter.isWanted }
        set { meter.isWanted = newValue }
    }

    /// Whether what the network costs is known, or cannot be known. Of use while it is wanted.
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

    /// The present conditions, as far as they have been reported or read.
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
    /// There while the machine is idle and somebody wants to know when it is not any more.
    private var trigger: PressureTrigger?
    /// The time of the next look, kept until then however often it is asked for.
    private var due: Double?

    /// Seconds between looks at the load when the kernel does not report it: for its end, and always without a trigger.
    package static let loadPause = 10.0
    /// Seconds between looks at a full disk, and at power that the kernel does not report.
    package static let slowPause = 60.0

    /// Learns the present state before it returns.
    ///
    /// - Parameters:
    ///   - store: a folder on the disk that must not be full.
    ///   - sources: where it is read.
    ///   - processors: their number; nil to ask the system.
    ///   - wantsChanges: whether changes are listened for from the start.
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

    /// Takes in what has been heard. To be called whenever `descriptor` is readable.
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
        // The kernel's word comes long before the mean of 10 s says the same, and again until it does.
        if trigger != nil { load.look() }
        listen()
        return before != (conditions, isMeterKnown)
    }

    /// Reads everything again, but for the disk.
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

    /// Whether the disk has been asked and has not answered yet.
    package var isDiskAsked: Bool { disk.isAsked }

    /// A question about the free space, which nobody reports; nil while the last one has no answer.
    ///
    /// It may block for ever, so call it on a thread of its own; the answer goes to `receiveDisk(_:)`.
    package func makeDiskQuestion() -> (@Sendable () -> Bool)? { disk.makeQuestion() }

    /// Receives the answer to the question: whether the disk is full; nil if it was never asked, so that what was known
    /// still holds.
    ///
    /// - Returns: whether the conditions have changed.
    package func receiveDisk(_ isFull: Bool?) -> Bool {
        let before = conditions
        disk.receive(isFull)
        return conditions != before
    }

    /// When to look again, because nobody reports.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: a time of that clock; nil while the kernel reports everything wanted.
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
        // The runs' own threads would let the trigger fire every two seconds.
        if !wantsLoad || load.isBusy || load.ownRuns != nil {
            if let trigger { watched.remove(trigger.descriptor) }
            trigger = nil
        } else if trigger == nil, let fresh = load.makeTrigger(),
            watched.add(fresh.descriptor, .trigger, offstage_epoll_pri)
        {
            trigger = fresh
        }
    }

    /// A question about the network's cost, for people, if no transfer depends on it and so nothing is watched. Nil if
    /// it is watched.
    ///
    /// It waits for up to a tenth of a second, so call it on a thread of its own; the answer goes to
    /// `heardMeter(_:)`.
    package var meterQuestion: (@Sendable () -> Bool?)? { meter.questionForPeople }

    /// Receives the answer to `meterQuestion`, unless it has become known otherwise meanwhile.
    package func receiveMeter(_ isMetered: Bool?) { meter.receive(isMetered) }

    /// A few words for people on where each condition comes from: `network`, `power`, `battery`, `load`,
    /// `disk` and `lowdata`.
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
