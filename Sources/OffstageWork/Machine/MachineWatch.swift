// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// What the machine is like for deferred work and for transfers, what a developer pretends instead, and who hears of a
/// change.
///
/// `@unchecked Sendable`: belongs to the loop, which every call from elsewhere checks.
final class MachineWatch: @unchecked Sendable {
    /// What deferred work has to know of the machine just now.
    struct Needs {
        /// Whether there is any request: without one, neither power nor the disk wakes anybody.
        var hasRequests = false
        /// Whether a request that needs an idle machine is due or runs.
        var asksForLoad = false
        /// The apps of the runs that need an idle machine; nil without one.
        var ownRuns: Set<OwnRun>?
    }

    private let loop: EventLoop
    private let queue: any WorkTransfers
    private let clock: SystemClock
    private let log: Log
    private let monitor: ConditionMonitor
    private let alarm: EventLoop.Alarm
    private var pretended = PretendedConditions()
    /// The question what the network costs, while somebody waits for its answer.
    private var meterAsking: Task<Bool?, Never>?
    /// When the machine was asked last, in seconds on the boot-time clock.
    private var lastLook: Double
    /// What the kernel has said of the network.
    private var paths = NetworkPaths()
    /// What transfers in line and running depend on.
    private var transferNeeds: TransferNeeds = []
    /// What deferred work goes by.
    private var told: MachineConditions
    private var needs: () -> Needs = { Needs() }
    private var changed: (MachineConditions) -> Void = { _ in }

    /// - Parameters:
    ///   - loop: the daemon's.
    ///   - queue: whose transfers depend on the machine, too.
    ///   - clock: the loop's.
    ///   - folder: on the disk that must not be full.
    ///   - lowDataMode: whether a person wants as little as possible to go over the network.
    ///   - log: the daemon's.
    init(
        loop: EventLoop,
        queue: any WorkTransfers,
        clock: SystemClock,
        folder: String,
        lowDataMode: Bool,
        log: Log
    ) {
        self.loop = loop
        self.queue = queue
        self.clock = clock
        self.log = log
        alarm = loop.makeAlarm()
        monitor = ConditionMonitor(store: folder)
        monitor.isDataLow = lowDataMode
        lastLook = clock.now().uptime
        told = monitor.conditions
    }

    /// - Parameters:
    ///   - needs: what deferred work has to know.
    ///   - changed: told of conditions that differ from what was told last; on the loop.
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

    /// What deferred work goes by, as it was told last.
    var conditions: MachineConditions { told }

    /// Seconds until anything in the daemon is due, looks at the machine aside: nobody advances time for these.
    var nextOtherAlarm: Double? { loop.nextAlarm(besides: alarm) }

    private var present: MachineConditions { pretended.applied(to: monitor.conditions) }

    /// What the kernel does not tell of the machine is looked at again then.
    private func setAlarm() { loop.setAlarm(alarm, uptime: monitor.nextLook(after: clock.now().uptime)) }

    // MARK: For people

    /// What the machine is like, for people.
    func report() async -> ConditionsReport {
        await askMeter()
        let ahead = clock.lead.seconds
        return ConditionsReport(
            conditions: present,
            pretended: pretended,
            sources: monitor.sources,
            ahead: ahead > 0 ? ahead : nil
        )
    }

    /// A bus may say nothing for a while: it is asked on a thread of its own, once for all who want to know.
    private func askMeter() async {
        guard let question = monitor.meterQuestion else { return }
        let asking =
            meterAsking
            ?? loop.startTask {
                await withCheckedContinuation { continuation in
                    if !LoneThread.start({ continuation.resume(returning: question()) }) {
                        continuation.resume(returning: nil)
                    }
                }
            }
        meterAsking = asking
        let answer = await asking.value
        guard meterAsking == asking else { return }
        meterAsking = nil
        monitor.heardMeter(answer)
    }

    func pretend(_ pretended: PretendedConditions) {
        self.pretended = pretended
        // What is not pretended any more may be out of date: nobody listened to it meanwhile.
        wishesChanged()
        look()
        take()
    }

    // MARK: What is heard and looked at

    /// Links, addresses or routes have changed, or are known for the first time.
    func networkIs(_ paths: NetworkPaths) {
        // Any host: what is a network leads further than this machine.
        let isThere = paths.problem(reaching: "host.invalid") == nil
        self.paths = paths
        monitor.network = paths.isKnown ? (isThere ? .unmetered : MachineConditions.Network.none) : nil
        monitor.links = paths.defaultLinks
        take()
    }

    private func isHeard() {
        if monitor.readable() { take() }
        setAlarm()
    }

    private func look() {
        lastLook = clock.now().uptime
        let isOther = tellOwnRuns(needs())
        if monitor.look(at: lastLook) || isOther { take() }
        setAlarm()
    }

    /// What the kernel was not asked to tell of is looked at before it decides anything; of the room on the disk it
    /// never tells.
    ///
    /// - Returns: what deferred work goes by from now on; nil when that is as before.
    func lookIfUnheard(at now: Moment) -> MachineConditions? {
        guard now.uptime - lastLook >= Self.freshness else { return nil }
        lastLook = now.uptime
        // What was seen may have to be looked at again, such as a disk that has become full.
        defer { setAlarm() }
        let isHeard = monitor.wantsChanges && monitor.wantsLoad
        guard isHeard ? monitor.lookAtDisk() : monitor.look(at: lastLook), present != told else { return nil }
        told = present
        tellTransfers()
        return told
    }

    /// Seconds for which what was seen of the machine is taken for true.
    private static let freshness = 1.0

    private func take() {
        tellTransfers()
        guard present != told else { return }
        told = present
        changed(told)
    }

    // MARK: What is needed

    /// Has the monitor hear of what may decide something, and of nothing else: nothing wakes the daemon without need.
    func wishesChanged() {
        let needs = needs()
        let wantsChanges = needs.hasRequests || transferNeeds.dependOnPower
        let wantsLoad = pretended.isBusy == nil && needs.asksForLoad
        let wantsMeter = pretended.network == nil && transferNeeds.dependOnMeter
        let isAsBefore =
            monitor.wantsChanges == wantsChanges && monitor.wantsLoad == wantsLoad && monitor.wantsMeter == wantsMeter
        guard !isAsBefore else {
            if tellOwnRuns(needs) {
                take()
                setAlarm()
            }
            return
        }
        monitor.wantsChanges = wantsChanges
        monitor.wantsLoad = wantsLoad
        monitor.wantsMeter = wantsMeter
        look()
    }

    /// The load may be that of runs that have just been found.
    func ownRunsChanged() {
        if tellOwnRuns(needs()) { take() }
    }

    /// Has the monitor know whose load is no reason to end a task: that of the tasks themselves.
    ///
    /// - Returns: whether that has changed, and the conditions with it, perhaps.
    private func tellOwnRuns(_ needs: Needs) -> Bool {
        guard monitor.ownRuns != needs.ownRuns else { return false }
        monitor.ownRuns = needs.ownRuns
        return true
    }

    // MARK: Transfers

    /// What of the machine keeps a transfer with these needs from moving bytes to the host; nil for nothing.
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

    /// Watches what transfers depend on, and nothing else.
    private func watch(for needs: TransferNeeds) {
        loop.checkIsolated()
        transferNeeds = needs
        wishesChanged()
    }

    /// Has transfers that depend on the machine looked at again; costs nothing where none does.
    private func tellTransfers() {
        guard !transferNeeds.isEmpty else { return }
        let queue = queue
        loop.post { queue.assumeIsolated { $0.networkChanged() } }
    }
}
