// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Transfers that come after others.
extension TransferQueue {
    /// Refuses what comes after a transfer that is not on record.
    func checkPredecessors(of specs: [TransferSpec]) async throws(QueueError) {
        let ids = Array(Set(specs.flatMap(\.predecessors)))
        guard !ids.isEmpty else { return }
        defer { for id in ids { release(id) } }
        if let missing = await load(ids).min() { throw .notFound(missing) }
    }

    /// Has a transfer looked at now, and whenever one that it comes after has changed.
    func awaitPredecessors(of transfer: Transfer) {
        predecessors.add(transfer.id, after: transfer.awaitedPredecessors)
        look()
    }

    /// A transfer has ended, begins anew after its end, or was forgotten.
    func predecessorChanged(_ id: TransferID, hasCompleted: Bool = false) {
        if predecessors.changed(id, hasCompleted: hasCompleted) { look() }
    }

    /// A decision was made about a transfer: it may wait for fewer now.
    func noteAwaited(_ transfer: Transfer, before: Transfer) {
        guard !before.spec.predecessors.isEmpty else { return }
        predecessors.keep(transfer.awaitedPredecessors, of: transfer.id)
    }

    private func look() {
        guard !isStopping, predecessors.begin() else { return }
        loop.startTask { await lookAtPredecessors() }
    }

    /// Looks at all that are to be looked at, some at a time; the look has begun.
    ///
    /// Costs a read for each of those that have changed, and a commit for each that comes after one: not a look at all that
    /// it comes after.
    func lookAtPredecessors() async {
        var held: Set<TransferID> = []
        while !isStopping, !self.predecessors.isEmpty {
            let chunk = self.predecessors.take(256)
            await load(chunk.map(\.id))
            for (id, predecessors) in chunk {
                // Whoever lists transfers meanwhile lets go of them afterwards: all are to be there at one moment.
                await load([id] + predecessors)
                held.formUnion(predecessors)
                let standings = Dictionary(uniqueKeysWithValues: predecessors.map { ($0, standing(of: $0)) })
                // A decision that is being committed is released when that is done.
                if step(id, { $0.predecessorsStand(standings, now: $1) }) == nil { release(id) }
                if held.count > Self.liveLimit { letGo(of: &held) }
            }
            letGo(of: &held)
        }
        predecessors.end()
        armAlarm()
        fill()
    }

    private func letGo(of ids: inout Set<TransferID>) {
        for id in ids { release(id) }
        ids = []
    }

    private func standing(of id: TransferID) -> Transfer.PredecessorStanding {
        // An end counts once it is durable.
        predecessors.hasCompleted(id) ? .completed : .init(live[id]?.visible)
    }
}
