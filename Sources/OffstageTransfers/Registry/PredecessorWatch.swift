// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Looks at transfers that come after others, whenever one of those has changed.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class PredecessorWatch: @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private var looks = PredecessorLooks()

    init(_ registry: TransferRegistry, turns: TransferTurns) {
        self.registry = registry
        self.turns = turns
    }

    /// Refuses what comes after a transfer that is not on record.
    func check(_ specs: [TransferSpec]) async throws(QueueError) {
        let ids = Array(Set(specs.flatMap(\.predecessors)))
        guard !ids.isEmpty else { return }
        defer { for id in ids { registry.release(id) } }
        if let missing = await registry.load(ids).min() { throw .notFound(missing) }
    }

    /// Has a transfer looked at now, and whenever one that it comes after has changed.
    func add(_ transfer: Transfer) {
        looks.add(transfer.id, after: transfer.awaitedPredecessors)
        look()
    }

    /// A transfer has ended, begins anew after its end, or was forgotten.
    func changed(_ id: TransferID, hasCompleted: Bool = false) {
        if looks.changed(id, hasCompleted: hasCompleted) { look() }
    }

    /// A decision was made about a transfer: it may wait for fewer now.
    func noteAwaited(_ transfer: Transfer, before: Transfer) {
        guard !before.spec.predecessors.isEmpty else { return }
        looks.keep(transfer.awaitedPredecessors, of: transfer.id)
    }

    /// All are to be looked at together once the daemon has read what the one before left: with `lookAtAll`, and not before.
    func begin() { _ = looks.begin() }

    private func look() {
        guard !registry.isStopping, looks.begin() else { return }
        registry.loop.startTask { await self.lookAtAll() }
    }

    /// Looks at all that are to be looked at, some at a time; the look has begun.
    ///
    /// Costs a read for each of those that have changed, and a commit for each that comes after one: not a look at all that
    /// it comes after.
    func lookAtAll() async {
        var held: Set<TransferID> = []
        while !registry.isStopping, !looks.isEmpty {
            let chunk = looks.take(256)
            await registry.load(chunk.map(\.id))
            for (id, predecessors) in chunk {
                // Whoever lists transfers meanwhile lets go of them afterwards: all are to be there at one moment.
                await registry.load([id] + predecessors)
                held.formUnion(predecessors)
                let standings = Dictionary(uniqueKeysWithValues: predecessors.map { ($0, standing(of: $0)) })
                // A decision that is being committed is released when that is done.
                if registry.step(id, { $0.predecessorsStand(standings, now: $1) }) == nil { registry.release(id) }
                if held.count > TransferRegistry.liveLimit { letGo(of: &held) }
            }
            letGo(of: &held)
        }
        looks.end()
        turns.fill()
    }

    private func letGo(of ids: inout Set<TransferID>) {
        for id in ids { registry.release(id) }
        ids = []
    }

    private func standing(of id: TransferID) -> Transfer.PredecessorStanding {
        // An end counts once it is durable.
        looks.hasCompleted(id) ? .completed : .init(registry[id]?.visible)
    }
}
