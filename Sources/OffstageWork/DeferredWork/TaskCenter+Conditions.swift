// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// What the machine is like, and what a developer pretends.
extension TaskCenter {
    private var conditions: MachineConditions { pretended.applied(to: monitor.conditions) }

    /// What the machine is like, for people.
    func machineReport() async -> ConditionsReport {
        await askMeter()
        let ahead = clock.lead.seconds
        return ConditionsReport(
            conditions: conditions,
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

    package func pretend(_ request: PretendConditions) async throws(WireFailure) -> PretendConditions.Reply {
        if let pretended = request.pretended {
            if let charge = pretended.batteryCharge, !(0...1).contains(charge) {
                throw WireFailure(.badRequest, "The charge of a battery is from 0 % to 100 %.")
            }
            self.pretended = pretended
            // What is not pretended any more may be out of date: nobody listened to it meanwhile.
            tellWishes()
            lookAtMachine()
            takeConditions()
        }
        return PretendConditions.Reply(machine: await machineReport())
    }

    // MARK: The machine

    /// Links, addresses or routes have changed, or are known for the first time.
    package func networkIs(_ paths: NetworkPaths) {
        // Any host: what is a network leads further than this machine.
        let isThere = paths.problem(reaching: "host.invalid") == nil
        self.paths = paths
        monitor.network = paths.isKnown ? (isThere ? .unmetered : MachineConditions.Network.none) : nil
        monitor.links = paths.defaultLinks
        takeConditions()
    }

    func machineIsHeard() {
        if monitor.readable() { takeConditions() }
        setMonitorAlarm()
    }

    func lookAtMachine() {
        lastLook = clock.now().uptime
        let isOther = tellOwnRuns()
        if monitor.look(at: lastLook) || isOther { takeConditions() }
        setMonitorAlarm()
    }

    /// What the kernel was not asked to tell of is looked at before it decides anything; of the room on the disk it
    /// never tells.
    func lookIfUnheard(at now: Moment) {
        guard now.uptime - lastLook >= Self.freshness else { return }
        lastLook = now.uptime
        // What was seen may have to be looked at again, such as a disk that has become full.
        defer { setMonitorAlarm() }
        let isHeard = monitor.wantsChanges && monitor.wantsLoad
        guard isHeard ? monitor.lookAtDisk() : monitor.look(at: lastLook), conditions != toldConditions else { return }
        toldConditions = conditions
        tellTransfers()
        perform(schedule.handle(.conditions(conditions), now: now), now: now)
    }

    /// Seconds for which what was seen of the machine is taken for true.
    private static let freshness = 1.0

    /// Has the monitor hear of what may decide something, and of nothing else: nothing wakes the daemon without need.
    func tellWishes() {
        let wantsChanges = schedule.count > 0 || transferNeeds.dependOnPower
        let wantsLoad = pretended.isBusy == nil && schedule.asksForLoad
        let wantsMeter = pretended.network == nil && transferNeeds.dependOnMeter
        let isAsBefore =
            monitor.wantsChanges == wantsChanges && monitor.wantsLoad == wantsLoad && monitor.wantsMeter == wantsMeter
        guard !isAsBefore else {
            if tellOwnRuns() {
                takeConditions()
                setMonitorAlarm()
            }
            return
        }
        monitor.wantsChanges = wantsChanges
        monitor.wantsLoad = wantsLoad
        monitor.wantsMeter = wantsMeter
        lookAtMachine()
    }

    /// Has the monitor know whose load is no reason to end a task: that of the tasks themselves.
    ///
    /// - Returns: whether that has changed, and the conditions with it, perhaps.
    func tellOwnRuns() -> Bool {
        let numbers = schedule.runsOnIdleMachine
        let names = Set(numbers.compactMap { schedule.record($0)?.request.app })
        let runs = apps.assumeIsolated { apps in Set(names.compactMap { apps.ownRun(of: $0) }) }
        let ownRuns = numbers.isEmpty ? nil : runs
        guard monitor.ownRuns != ownRuns else { return false }
        monitor.ownRuns = ownRuns
        return true
    }

    func takeConditions() {
        tellTransfers()
        guard conditions != toldConditions else { return }
        toldConditions = conditions
        step(.conditions(conditions))
    }

    // MARK: Transfers

    /// What of the machine keeps a transfer with these needs from moving bytes to the host; nil for nothing.
    func hold(_ needs: TransferNeeds, host: String) -> TransferHold? {
        guard !needs.isEmpty else { return nil }
        return needs.hold(
            monitor.conditions,
            pretended: pretended,
            isMeterKnown: !monitor.wantsMeter || monitor.isMeterKnown,
            isHere: paths.isHere(host)
        )
    }

    /// Watches what transfers depend on, and nothing else.
    func watch(for needs: TransferNeeds) {
        transferNeeds = needs
        tellWishes()
    }

    /// Has transfers that depend on the machine looked at again; costs nothing where none does.
    private func tellTransfers() {
        guard !transferNeeds.isEmpty else { return }
        let queue = queue
        loop.post { queue.assumeIsolated { $0.networkChanged() } }
    }
}
