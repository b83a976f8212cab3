// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// Gives free slots to the transfers in line whose turn it is, and knows what keeps the other transfers from beginning.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
package final class TransferTurns: @unchecked Sendable {
    private let registry: TransferRegistry
    private let networkProblem: @Sendable (_ host: String) -> NetworkProblem?
    /// The limits for all transfers together at this time.
    package var limits: TransferLimits
    private var machine = MachineNeeds()
    /// The fleet that allowed no metered network when slots were last given.
    private var fleetAgainstMetered: String?
    /// The maximum number of transfers at a time, by the settings.
    private let usualTotal: Int
    /// Suspects that wait for their turn to run alone.
    private var trials = SuspectTrials()
    /// Transfers whose attempt has ended and whose end is not in the store yet.
    private var settling: Set<TransferID> = []
    /// Begins an attempt of a transfer whose turn it is; nil before the engine exists.
    private var begin: (@Sendable (TransferID) -> Void)?

    /// How many transfers may have an ended attempt that the store does not have yet. Each requires a save and two
    /// commits: with hundreds of them, every other request would wait for all, and a crash would cost as many attempts.
    package static let settlingLimit = 32
    /// How long a suspect is watched alone, in seconds, however long its attempt takes.
    private static let trialTime = 30.0

    package init(
        _ registry: TransferRegistry,
        limits: TransferLimits,
        networkProblem: @escaping @Sendable (_ host: String) -> NetworkProblem?
    ) {
        self.registry = registry
        self.limits = limits
        self.networkProblem = networkProblem
        usualTotal = registry.schedule.limits.total
    }

    /// Begins to assign slots.
    ///
    /// - Parameter begin: begins an attempt of a transfer that is in memory and has a slot.
    package func start(_ begin: @escaping @Sendable (TransferID) -> Void) { self.begin = begin }

    // MARK: Slots

    /// Gives free slots to the transfers whose turn it is.
    package func fill() {
        guard !registry.isStopping, let begin, !holdsEverything, settling.count < Self.settlingLimit else { return }
        var reachable: [String: Bool] = [:]
        var chosen: [TransferID] = []
        let fleets = limits.fleets.fleetAgainstMetered == nil ? [] : TransferNeeds.noExpensive
        let isWatchedOtherwise = machine.update(registry.schedule.needs.union(fleets))
        if isWatchedOtherwise || fleetAgainstMetered != limits.fleets.fleetAgainstMetered {
            fleetAgainstMetered = limits.fleets.fleetAgainstMetered
            reachMayHaveChanged()
        }
        let isReachable = { (hostKey: String) -> Bool in
            let answer = reachable[hostKey] ?? (self.networkProblem(Self.host(of: hostKey)) == nil)
            reachable[hostKey] = answer
            return answer
        }
        while let id = registry.schedule.next(
            canReach: { isReachable($0) && hold($1, Self.host(of: $0)) == nil },
            hasDetour: { host, others in !isReachable(host) && others.contains(where: isReachable) }
        ) {
            chosen.append(id)
        }
        guard !chosen.isEmpty else { return }
        registry.loop.startTask {
            await self.registry.load(chosen)
            for id in chosen { begin(id) }
            // The slot of a transfer that turned out to be gone or paused goes to the next one.
            if chosen.contains(where: { !self.registry.schedule.isRunning($0) }) { self.fill() }
        }
    }

    /// Called when the network, or this machine's holds, may have changed: transfers passed over because of them are
    /// examined again when slots are next given.
    package func reachMayHaveChanged() { registry.schedule.reachMayHaveChanged() }

    /// Removes a transfer from the line and frees its slot.
    package func leave(_ id: TransferID) { registry.schedule.remove(id) }

    /// Records that a transfer's end is being written: only a few may be pending at a time.
    package func settle(_ id: TransferID) { settling.insert(id) }

    /// Records that a transfer's end is written, or need not be waited for.
    package func settled(_ id: TransferID) { settling.remove(id) }

    static func host(of hostKey: String) -> String {
        // Bytes, not characters: this is done for every host in line when the network has changed.
        let bytes = hostKey.utf8
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return String(hostKey[bytes.index(after: bytes.startIndex)..<end])
        }
        return bytes.firstIndex(of: UInt8(ascii: ":")).map { String(hostKey[..<$0]) } ?? hostKey
    }

    // MARK: Holds

    /// Whether the schedule by time of day, or a fleet, lets nothing run now.
    var holdsEverything: Bool { limits.holdsEverything }

    /// Why nothing may run now, for a transfer's history.
    var holdWords: String {
        limits.isHeldBySchedule
            ? "the schedule in the settings lets nothing run" : "the rules of a fleet let nothing run"
    }

    /// The condition of the machine, or the fleet's rule for it, that keeps a transfer from beginning.
    package func hold(of transfer: Transfer) -> TransferHold? {
        if limits.isHeldBySchedule { return .schedule }
        return limits.fleets.hold == nil ? hold(transfer.spec.needs, transfer.spec.url.host) : .fleet
    }

    /// The fleet that keeps transfers from beginning, with its rule.
    func fleetHold() -> FleetRules.Named<FleetPolicy.Hold>? {
        limits.fleets.hold ?? limits.fleets.fleetAgainstMetered.map { .init(fleet: $0, value: .metered) }
    }

    /// The fleet that allows fewer transfers at a time than the settings; nil for none.
    func fleetLimit() -> FleetRules.Named<Int>? {
        limits.fleets.maximumRunning.flatMap { $0.value < usualTotal ? $0 : nil }
    }

    /// Called when a fleet's rules, or the time of day, may allow a different number of transfers.
    func applyFleets() {
        registry.schedule.limits.total = min(usualTotal, limits.fleets.maximumRunning?.value ?? usualTotal)
    }

    private func hold(_ needs: TransferNeeds, _ host: String) -> TransferHold? {
        if let hold = machine.hold(needs, host) { return hold }
        guard limits.fleets.fleetAgainstMetered != nil, let hold = machine.hold(.noExpensive, host) else { return nil }
        return hold == .unknownNetwork ? hold : .fleet
    }

    /// Why a host cannot be reached from this machine at all.
    func networkProblem(of transfer: Transfer) -> NetworkProblem? { networkProblem(transfer.spec.url.host) }

    /// Whether an address can be reached from this machine, as far as the kernel knows.
    func canReach(_ url: RequestURL) -> Bool { networkProblem(url.host) == nil }

    /// Why the address that a transfer uses cannot be reached from this machine, if another of its addresses can: it
    /// then continues there, instead of waiting for the network. Nil if no detour is needed.
    package func detour(of transfer: Transfer) -> NetworkProblem? {
        guard let mirrors = transfer.spec.mirrors, let problem = networkProblem(of: transfer),
            mirrors.others.contains(where: canReach)
        else { return nil }
        return problem
    }

    /// Why the current attempt must not continue; nil if it may, or if no attempt runs.
    package func lossOfWay(of transfer: Transfer) -> String? {
        guard case .running = transfer.state else { return nil }
        if networkProblem(of: transfer) != nil { return "the network went away" }
        let hold = hold(transfer.spec.needs.underWay, transfer.spec.url.host)
        // A network that is still being queried is no reason yet.
        guard let hold, hold != .unknownNetwork else { return nil }
        return "the network changed to one that it must not use"
    }

    /// See `TransferQueue.setMachine`.
    package func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    ) {
        machine.hold = hold
        machine.wish = wish
        reachMayHaveChanged()
        fill()
    }

    /// How many transfers are queued, by what keeps them from beginning; see `TransferSchedule.counts`.
    func counts() -> Tally<LineStanding> {
        var counts = Tally<LineStanding>()
        let queued = registry.census.counts[.queued]
        if registry.trouble.standing != nil {
            counts.add(.storeTrouble, queued)
            return counts
        }
        if holdsEverything {
            counts.add(.held, queued)
            return counts
        }
        var reachable: [String: Bool] = [:]
        let canReach = { (hostKey: String) -> Bool in
            let answer = reachable[hostKey] ?? (self.networkProblem(Self.host(of: hostKey)) == nil)
            reachable[hostKey] = answer
            return answer
        }
        counts = registry.schedule.counts { hostKey, needs, others in
            if !canReach(hostKey), !others.contains(where: canReach) { return .network }
            return hold(needs, Self.host(of: hostKey)) == nil ? nil : .held
        }
        let suspects = trials.line.count
        counts.add(.suspected, suspects)
        // Transfers whose file is being opened have left the line, and begin next.
        counts.add(.inLine, max(0, queued - suspects - registry.schedule.queuedCount))
        return counts
    }

    // MARK: The line, and suspects

    /// Puts a transfer in line for its turn; a suspect is put behind other suspects, or set aside. `CrashContainment`
    /// decides what happens to a transfer that was running when the daemon crashed.
    package func lineUp(_ transfer: Transfer) {
        switch registry.crashes.standing(of: .transfer(transfer.id)) {
        case .free: enqueue(transfer)
        case .alone:
            // During its trial it is in line like any other, for each of its attempts.
            if trials.current == transfer.id { return enqueue(transfer) }
            trials.add(transfer.id)
            beginTrial()
        case .setAside(let crashes):
            let id = transfer.id
            // A turn later: this step is not finished yet.
            registry.loop.startTask {
                await self.registry.load([id])
                self.registry.step(id) { $0.setAside(crashes: crashes, now: $1) }
            }
        }
    }

    private func enqueue(_ transfer: Transfer) {
        registry.schedule.enqueue(
            transfer.id,
            owner: transfer.spec.owner,
            session: transfer.spec.sessionTask?.session,
            hostKey: transfer.spec.url.hostKey,
            priority: transfer.spec.priority,
            perHost: transfer.spec.connectionsPerHost,
            needs: transfer.spec.needs,
            others: Set(transfer.spec.mirrors?.others.map(\.hostKey) ?? []).sorted()
        )
    }

    private func beginTrial() {
        guard !registry.isStopping, let id = trials.next() else { return }
        registry.loop.startTask {
            await self.registry.load([id])
            guard let transfer = self.registry[id]?.transfer, case .queued = transfer.state else {
                return self.trialEnded(id)
            }
            self.enqueue(transfer)
            self.fill()
            await self.registry.loop.sleep(seconds: Self.trialTime)
            // It may continue to run: other suspects have waited long enough.
            self.trialEnded(id)
        }
    }

    /// Ends a suspect's trial.
    package func trialEnded(_ id: TransferID) {
        if trials.end(id) { beginTrial() }
    }

    /// Clears the suspicion of a transfer whose attempt has ended, however it ended.
    func survived(_ id: TransferID) {
        registry.crashes.survived(.transfer(id))
        trialEnded(id)
    }

    /// The number of crashes during which a transfer that waits to run alone was running; nil for any other.
    package func suspectedCrashes(of id: TransferID) -> Int? {
        guard trials.isInLine(id), case .alone(let crashes) = registry.crashes.standing(of: .transfer(id)) else {
            return nil
        }
        return crashes
    }
}
