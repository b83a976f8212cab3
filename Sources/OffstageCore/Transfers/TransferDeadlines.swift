// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// When transfers must be checked: by uptime, which cannot be set, and by wall clock. Grows with the waiting transfers.
package struct TransferDeadlines: Sendable {
    private var uptimes: DeadlineHeap
    private var dates = DeadlineHeap()
    /// When to give up on unreachable hosts; nil if no host is unreachable.
    private var networkLoss: Double?

    /// Seconds that a host may be unreachable before its attempts are broken off: a short outage does not break
    /// connections that TCP would keep alive.
    private static let networkGrace = 3.0

    package init(_ uptimes: DeadlineHeap = DeadlineHeap()) { self.uptimes = uptimes }

    package mutating func insert(_ id: TransferID, _ deadline: Deadline, now: Moment) {
        uptimes.insert(id, due: now.uptime + deadline.remaining(at: now))
    }

    package mutating func insert(_ id: TransferID, _ date: Date) {
        dates.insert(id, due: date.timeIntervalSince1970)
    }

    /// Removes all deadlines of a transfer.
    package mutating func remove(_ id: TransferID) {
        uptimes.remove(id)
        dates.remove(id)
    }

    /// Removes the deadlines that are due, at most `limit`: any that remain are due again at once.
    package mutating func popDue(at now: Moment, limit: Int) -> Set<TransferID> {
        var due: Set<TransferID> = []
        while due.count < limit, let id = uptimes.popDue(at: now.uptime) { due.insert(id) }
        let wall = now.wall.timeIntervalSince1970
        while due.count < limit, let id = dates.popDue(at: wall) { due.insert(id) }
        return due
    }

    /// Records that hosts are unreachable: the daemon gives up on them after the grace period.
    package mutating func recordNetworkLoss(now: Moment) {
        if networkLoss == nil { networkLoss = now.uptime + Self.networkGrace }
    }

    /// Whether to give up on unreachable hosts now; true only once.
    package mutating func takeNetworkLoss(at now: Moment) -> Bool {
        guard let networkLoss, networkLoss <= now.uptime else { return false }
        self.networkLoss = nil
        return true
    }

    /// The earliest deadlines: seconds since the boot, and seconds since 1970; nil if there is no deadline.
    package var earliest: (uptime: Double?, wall: Double?) {
        ([uptimes.earliest, networkLoss].compactMap(\.self).min(), dates.earliest)
    }

    /// The transfers whose deadlines come next, up to a date, roughly in order; some may no longer have a deadline.
    package func next(until date: Date, now: Moment, limit: Int) -> [TransferID] {
        let left = max(0, date.timeIntervalSince(now.wall))
        let wall = now.wall.timeIntervalSince1970
        let byDate = dates.next(upTo: date.timeIntervalSince1970, limit: limit).map { ($0.due - wall, $0.id) }
        let byUptime = uptimes.next(upTo: now.uptime + left, limit: limit).map { ($0.due - now.uptime, $0.id) }
        return (byDate + byUptime).sorted { $0.0 < $1.0 }.prefix(limit).map(\.1)
    }

    package var isWatchingNetworkLoss: Bool { networkLoss != nil }
}
