// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// The machine's conditions for deferred work and transfers, replaced by a developer's pretended ones if there are any,
/// and the reports of changes.
///
/// `@unchecked Sendable`: belongs to the loop, which every call from elsewhere checks.
final class MachineWatch: @unchecked Sendable {
    /// The conditions that deferred work depends on at the moment.
    struct Needs {
        /// Whether there is any request: without one, neither power nor the disk is watched.
        var hasRequests = false
        /// Whether a request that needs an idle machine is due or running.
        var asksForLoad = false
        /// The apps of the runs that need an idle machine; nil without one.
        var ownRuns: Set<OwnRun>?
    }

    private enum Milestone { case diskAnswer }

    /// The queries that run on their own threads.
    private struct Asking {
        /// The query for the network's cost, while its answer is waited for.
        var meter: Task<Bool?, Never>?
        /// The reports that wait for the disk's answer.
        let disk = Waiters<Milestone, Void>()
    }

    private let loop: EventLoop
    private let queue: any WorkTransfers
    private let clock: SystemClock
    private let log: Log
    private let monitor: ConditionMonitor
    private let alarm: EventLoop.Alarm
    private let chronicle: ChronicleRecorder
    private var pretended = PretendedConditions()
    private var asking = Asking()
    /// When the conditions were last read, in seconds on the boot-time clock.
    private var lastLook: Double
    /// The kernel's reports of the network.
    private var paths = NetworkPaths()
    /// The conditions that waiting and running transfers depend on.
    private var transferNeeds: TransferNeeds = []
    /// The last conditions reported to deferred work.
    private var told: MachineConditions
    private var needs: () -> Needs = { Needs() }
    private var changed: (MachineConditions) -> Void = { _ in }

    /// - Parameters:
    ///   - loop: the daemon's loop.
    ///   - queue: the queue, whose transfers also depend on the machine.
    ///   - clock: the loop's clock.
    ///   - folder: a folder on the disk that must not be full.
    ///   - sources: the sources of the machine's conditions.
    ///   - lowDataMode: whether a person wants to use the network as little as possible.
    ///   - chronicle: records network and power.
    ///   - log: the daemon's log.
    init(
        loop: EventLoop,
        queue: any WorkTransfers,
        clock: SystemClock,
        folder: String,
        sources: MachineSources,
        lowDataMode: Bool,
        chronicle: ChronicleRecorder = ChronicleRecorder(),
        log: Log
    ) {
        self.loop = loop
        self.queue = queue
        self.clock = clock
        self.log = log
        self.chronicle = chronicle
        alarm = loop.makeAlarm()
        monitor = ConditionMonitor(store: folder, sources: sources, wantsChanges: false)
        monitor.isDataLow = lowDataMode
        lastLook = clock.now().uptime
        told = monitor.conditions
    }

    /// - Parameters:
    ///   - needs: the conditions that deferred work depends on.
    ///   - changed: called when conditions have changed since the last report; on the loop.
    func start(needs: @escaping () -> Needs, changed: @escaping (MachineConditions) -> Void) {
        self.needs = needs
        self.changed = changed
        loop.onAlarm(alarm) { [weak self] in self?.look() }
        if monitor.descriptor >= 0 {
            let watch = loop.watch(monitor.descriptor, events: offstage_epoll_in) { [weak self] _ in self?.isHeard() }
            if watch == nil {
                log.notice("power and load are not watched, and are only checked before each decision")
            }
        }
        let hold: @Sendable (TransferNeeds, String) -> TransferHold? = { [weak self] needs, host in
            self?.hold(needs, host: host)
        }
        let wish: @Sendable (TransferNeeds) -> Void = { [weak self] needs in self?.watch(for: needs) }
        queue.assumeIsolated { $0.setMachine(hold: hold, wish: wish) }
        setAlarm()
    }

    /// The last conditions reported to deferred work.
    var conditions: MachineConditions { told }

    /// Seconds until the next alarm in the daemon, except looks at the machine, for which time is not advanced.
    var nextOtherAlarm: Double? { loop.nextAlarm(besides: alarm) }

    private var present: MachineConditions { pretended.applied(to: monitor.conditions) }

    /// Sets the time of the next reading of conditions that the kernel does not report.
    ///
    /// - Parameter end: when a wait that is about to begin will end, in seconds on the boot-time clock.
    private func setAlarm(besides end: Double? = nil) {
        let times = [monitor.nextLook(after: clock.now().uptime), asking.disk.nextDue, end]
        loop.setAlarm(alarm, uptime: times.compactMap(\.self).min())
    }

    // MARK: For people

    /// The machine's conditions, for people, as recent as those used for decisions.
    func report() async -> ConditionsReport {
        await askMeter()
        let now = clock.now().uptime
        if now - lastLook >= Self.freshness { look() }
        await waitForDisk(until: now + Self.patienceForPeople)
        let ahead = clock.lead.seconds
        return ConditionsReport(
            conditions: present,
            pretended: pretended,
            sources: monitor.sources,
            ahead: ahead > 0 ? ahead : nil
        )
    }

    /// The bus may be silent for a while, so it is queried on its own thread, once for all callers.
    private func askMeter() async {
        guard let question = monitor.meterQuestion else { return }
        let asked =
            asking.meter
            ?? loop.startTask {
                await withCheckedContinuation { continuation in
                    if !LoneThread.start(for: loop, { continuation.resume(returning: question()) }) {
                        continuation.resume(returning: nil)
                    }
                }
            }
        asking.meter = asked
        let answer = await asked.value
        guard asking.meter == asked else { return }
        asking.meter = nil
        monitor.receiveMeter(answer)
    }

    /// Waits for the disk's answer, if it was queried.
    private func waitForDisk(until end: Double) async {
        func answer() -> Void? {
            guard monitor.isDiskAsked else { return () }
            setAlarm(besides: end)
            return nil
        }
        await asking.disk.wait(for: .diskAnswer, until: end, unless: answer)
    }

    func pretend(_ pretended: PretendedConditions) {
        self.pretended = pretended
        // Conditions that are no longer pretended may be outdated, because nothing watched them in the meantime.
        wishesChanged()
        look()
        update()
    }

    // MARK: Events and readings

    /// Handles links, addresses or routes that have changed, or are known for the first time.
    func networkIs(_ paths: NetworkPaths) {
        // Any host, because a network leads beyond this machine.
        let isThere = paths.problem(reaching: "host.invalid") == nil
        self.paths = paths
        monitor.network = paths.isKnown ? (isThere ? .unmetered : MachineConditions.Network.none) : nil
        monitor.links = paths.defaultLinks
        update()
        // The network's cost may have to be waited for now.
        setAlarm()
    }

    private func isHeard() {
        if monitor.readable() { update() }
        setAlarm()
    }

    private func look() {
        lastLook = clock.now().uptime
        let isOther = reportOwnRuns(needs())
        askDisk()
        asking.disk.resumeDue(at: lastLook, returning: ())
        if monitor.look(at: lastLook) || isOther { update() }
        setAlarm()
    }

    /// Queries the free space, which the kernel never reports. This is done on its own thread, once for all callers;
    /// until the disk answers, its last answer holds.
    private func askDisk() {
        guard let question = monitor.makeDiskQuestion() else { return }
        let isBegun = LoneThread.start(for: loop) { [weak self, loop] in
            let isFull = question()
            loop.post { [weak self] in self?.receiveDisk(isFull) }
        }
        if !isBegun { receiveDisk(nil) }
    }

    private func receiveDisk(_ isFull: Bool?) {
        let hasChanged = monitor.receiveDisk(isFull)
        asking.disk.resume(.diskAnswer)
        if hasChanged { update() }
        // A disk that has become full is checked again later.
        setAlarm()
    }

    /// Reads conditions that are not watched before they decide anything. The disk is queried, but its answer may come
    /// after this decision.
    ///
    /// - Returns: the new conditions for deferred work; nil if they are unchanged.
    func lookIfUnheard(at now: Moment) -> MachineConditions? {
        guard now.uptime - lastLook >= Self.freshness else { return nil }
        lastLook = now.uptime
        // The result may require another look later.
        defer { setAlarm() }
        askDisk()
        let isHeard = monitor.wantsChanges && monitor.wantsLoad
        guard !isHeard, monitor.look(at: lastLook) else { return nil }
        // Also if nothing is new for deferred work, such as the end of the wait for the network's cost.
        recordConditions()
        notifyTransfers()
        guard present != told else { return nil }
        told = present
        return told
    }

    /// How long a reading is valid, in seconds.
    private static let freshness = 1.0
    /// How long a person waits for the disk, in seconds.
    private static let patienceForPeople = 0.1

    private func update() {
        recordConditions()
        notifyTransfers()
        guard present != told else { return }
        told = present
        changed(told)
    }

    /// Records the known state of network and power for the timeline, which does not cause them to be watched.
    private func recordConditions() {
        let now = clock.now().wall
        let present = present
        let knowsNetwork = pretended.network != nil || paths.isKnown
        let knowsPower = pretended.hasExternalPower != nil || monitor.wantsChanges
        chronicle.stand(knowsNetwork ? .network(present.network) : nil, in: .network, at: now)
        chronicle.stand(knowsPower ? .power(isExternal: present.hasExternalPower) : nil, in: .power, at: now)
    }

    // MARK: Needs

    /// Makes the monitor watch only the conditions that may decide something, so that nothing wakes the daemon
    /// unnecessarily.
    func wishesChanged() {
        let needs = needs()
        let wantsChanges = needs.hasRequests || transferNeeds.dependOnPower
        let wantsLoad = pretended.isBusy == nil && needs.asksForLoad
        let wantsMeter = pretended.network == nil && transferNeeds.dependOnMeter
        let isAsBefore =
            monitor.wantsChanges == wantsChanges && monitor.wantsLoad == wantsLoad && monitor.wantsMeter == wantsMeter
        guard !isAsBefore else {
            if reportOwnRuns(needs) {
                update()
                setAlarm()
            }
            return
        }
        monitor.wantsChanges = wantsChanges
        monitor.wantsLoad = wantsLoad
        monitor.wantsMeter = wantsMeter
        look()
        recordConditions()
    }

    /// Rechecks the load, which may be caused by newly found runs.
    func ownRunsChanged() {
        if reportOwnRuns(needs()) { update() }
    }

    /// Passes the monitor the runs whose load is no reason to end a task.
    ///
    /// - Returns: whether they have changed, and with them perhaps the conditions.
    private func reportOwnRuns(_ needs: Needs) -> Bool {
        guard monitor.ownRuns != needs.ownRuns else { return false }
        monitor.ownRuns = needs.ownRuns
        return true
    }

    // MARK: Transfers

    /// The condition that keeps a transfer with these needs from moving bytes to the host; nil for none.
    private func hold(_ needs: TransferNeeds, host: String) -> TransferHold? {
        loop.checkIsolated()
        guard !needs.isEmpty else { return nil }
        return needs.hold(
            monitor.conditions,
            pretended: pretended,
            isMeterKnown: !monitor.wantsMeter || monitor.isMeterKnown,
            isHere: paths.isHere(host)
        )
    }

    /// Watches only the conditions that transfers depend on.
    private func watch(for needs: TransferNeeds) {
        loop.checkIsolated()
        transferNeeds = needs
        wishesChanged()
    }

    /// Has the queue check transfers that depend on the machine; costs nothing if there are none.
    private func notifyTransfers() {
        guard !transferNeeds.isEmpty else { return }
        let queue = queue
        loop.post { queue.assumeIsolated { $0.networkChanged() } }
    }
}
