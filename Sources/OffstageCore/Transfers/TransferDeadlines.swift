// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// When transfers are to be looked at: by the clock that no person sets, and by the one on the wall. Grows with what waits.
package struct TransferDeadlines: Sendable {
    private var uptimes: DeadlineHeap
    private var dates = DeadlineHeap()
    /// When hosts that are out of reach are given up; nil while none is.
    private var networkLoss: Double?

    /// Seconds that a host may be out of reach before its attempts are broken off: a short outage does not break what TCP
    /// would survive.
    private static let networkGrace = 3.0

    package init(_ uptimes: DeadlineHeap = DeadlineHeap()) { self.uptimes = uptimes }

    package mutating func insert(_ id: TransferID, _ deadline: Deadline, now: Moment) {
        uptimes.insert(id, due: now.uptime + deadline.remaining(at: now))
    }

    package mutating func insert(_ id: TransferID, _ date: Date) {
        dates.insert(id, due: date.timeIntervalSince1970)
    }

    /// Takes out those that are due, `limit` at most: what is left over is due at once again.
    package mutating func popDue(at now: Moment, limit: Int) -> Set<TransferID> {
        var due: Set<TransferID> = []
        while due.count < limit, let id = uptimes.popDue(at: now.uptime) { due.insert(id) }
        let wall = now.wall.timeIntervalSince1970
        while due.count < limit, let id = dates.popDue(at: wall) { due.insert(id) }
        return due
    }

    /// Hosts are out of reach: they are given up when the grace is over.
    package mutating func noteNetworkLoss(now: Moment) {
        if networkLoss == nil { networkLoss = now.uptime + Self.networkGrace }
    }

    /// Whether hosts are to be given up now that have been out of reach; says so once.
    package mutating func takeNetworkLoss(at now: Moment) -> Bool {
        guard let networkLoss, networkLoss <= now.uptime else { return false }
        self.networkLoss = nil
        return true
    }

    /// When something is due first: seconds since the boot, and seconds since 1970; nil for nothing.
    package var earliest: (uptime: Double?, wall: Double?) {
        ([uptimes.earliest, networkLoss].compactMap(\.self).min(), dates.earliest)
    }

    package var isWatchingNetworkLoss: Bool { networkLoss != nil }
}
