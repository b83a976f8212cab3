// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// Determines when transfers are examined next, and how the time of day and the network affect them.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferAgenda: @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let zone: CivilZone
    private let alarm: TurnAlarm
    private var deadlines: TransferDeadlines
    /// Transfers that wait to retry after a connection failure: woken early when the network returns.
    private var waitingOnConnection: Set<TransferID> = []
    /// Called when all transfers together may use more or less bandwidth.
    private var shareBandwidth: () -> Void = {}

    /// How many deadlines are handled in one turn of the loop.
    private static let dueAtOnce = 1000

    init(_ registry: TransferRegistry, turns: TransferTurns, deadlines: TransferDeadlines, zone: CivilZone) {
        self.registry = registry
        self.turns = turns
        self.deadlines = deadlines
        self.zone = zone
        alarm = TurnAlarm(loop: registry.loop)
    }

    /// Begins observing the time.
    ///
    /// - Parameter shareBandwidth: called when all transfers together may use more or less bandwidth.
    func start(_ shareBandwidth: @escaping () -> Void) {
        self.shareBandwidth = shareBandwidth
        alarm.start(times: { [weak self] in self?.next ?? (nil, nil) }, ring: { [weak self] in self?.timeIsUp() })
        applySchedule()
        alarm.changed()
    }

    // MARK: Time

    /// Wakes a transfer at its deadline.
    func wake(_ id: TransferID, at deadline: Deadline) {
        deadlines.insert(id, deadline, now: registry.now())
        alarm.changed()
    }

    /// Wakes a transfer at a date.
    func wake(_ id: TransferID, at date: Date) {
        deadlines.insert(id, date)
        alarm.changed()
    }

    /// Cancels the deadlines of a transfer that has ended.
    func ended(_ id: TransferID) {
        deadlines.remove(id)
        alarm.changed()
    }

    private var next: TurnAlarm.Times {
        let earliest = deadlines.earliest
        return (earliest.uptime, [earliest.wall, turns.limits.due?.timeIntervalSince1970].compactMap(\.self).min())
    }

    /// The transfers with the next deadlines, up to a date, roughly in order: some may no longer have any.
    func nextDeadlines(until date: Date, limit: Int) -> [TransferID] {
        deadlines.next(until: date, now: registry.now(), limit: limit)
    }

    /// The rules of the schedule from now to a date.
    func hours(until date: Date) -> [TimelineHours] {
        turns.limits.hours(from: registry.now().wall, until: date, in: zone)
    }

    /// Called at a time that the alarm was set to, and when the wall clock was set.
    func timeIsUp() {
        let now = registry.now()
        // The remaining deadlines are due again at once: the loop turns in between.
        let due = deadlines.popDue(at: now, limit: Self.dueAtOnce)
        if deadlines.takeNetworkLoss(at: now) { breakOffUnreachable() }
        if !due.isEmpty { wake(Array(due)) }
        let isOther = applySchedule()
        if isOther, !turns.holdsEverything { turns.fill() }
        alarm.changed()
    }

    /// Called when a fleet has changed its rules.
    func rulesChanged() {
        applySchedule()
        // A network that was good enough may no longer be.
        watchLossOfWay()
        turns.fill()
        alarm.changed()
    }

    private func wake(_ ids: [TransferID]) {
        registry.loop.startTask {
            for start in stride(from: 0, to: ids.count, by: 256) {
                let chunk = Array(ids[start..<min(start + 256, ids.count)])
                await self.registry.load(chunk)
                for id in chunk {
                    // A decision that is being committed is released after the commit, not before.
                    if self.registry.step(id, { $0.woken(now: $1) }) == nil { self.registry.release(id) }
                }
            }
            self.turns.fill()
        }
    }

    /// Applies the schedule by time of day, and the rules of fleets.
    ///
    /// - Returns: whether the rules have changed.
    @discardableResult
    private func applySchedule() -> Bool {
        guard turns.limits.look(at: registry.now().wall, in: zone) else { return false }
        turns.applyFleets()
        if turns.holdsEverything {
            let words = turns.holdWords
            breakOff { _ in words }
        } else {
            shareBandwidth()
        }
        return true
    }

    /// Breaks off attempts that must not continue now; they continue later.
    ///
    /// - Parameter problem: why an attempt must not continue; nil if it may.
    private func breakOff(_ problem: (Transfer) -> String?) {
        for (id, entry) in registry.live {
            guard case .running = entry.transfer.state, let detail = problem(entry.transfer) else { continue }
            let hasSent = registry.mayHaveSent(id)
            registry.step(id) { $0.networkLost(detail, reached: entry.kept, hasSent: hasSent, now: $1) }
        }
    }

    // MARK: The network

    /// Called when links, addresses or routes have changed, or the transfers' needs of the machine.
    func networkChanged() {
        turns.reachMayHaveChanged()
        watchLossOfWay()
        let back = waitingOnConnection
        if !back.isEmpty {
            registry.loop.startTask {
                let ids = Array(back)
                for start in stride(from: 0, to: ids.count, by: 256) {
                    let chunk = Array(ids[start..<min(start + 256, ids.count)])
                    await self.registry.load(chunk)
                    self.retryReachable(chunk)
                    await Task.yield()
                }
            }
        }
        turns.fill()
    }

    private func watchLossOfWay() {
        if !deadlines.isWatchingNetworkLoss,
            registry.live.values.contains(where: { turns.lossOfWay(of: $0.transfer) != nil })
        {
            deadlines.recordNetworkLoss(now: registry.now())
            alarm.changed()
        }
    }

    /// Records whether a transfer waits for its server to become reachable.
    func recordWait(_ transfer: Transfer) {
        if case .waiting(let wait) = transfer.state, case .retry(let failure, _) = wait.cause,
            failure.retryClass == .connection
        {
            waitingOnConnection.insert(transfer.id)
        } else if !waitingOnConnection.isEmpty {
            waitingOnConnection.remove(transfer.id)
        }
    }

    private func retryReachable(_ ids: [TransferID]) {
        for id in ids {
            guard let transfer = registry[id]?.transfer else { continue }
            // Another decision may have been made since.
            if waitingOnConnection.contains(id), turns.networkProblem(of: transfer) == nil {
                registry.step(id) { NetworkReturn().apply(to: &$0, now: $1) }
            } else {
                registry.release(id)
            }
        }
    }

    /// Breaks off attempts whose hosts have been unreachable for too long.
    private func breakOffUnreachable() { breakOff(turns.lossOfWay) }
}
