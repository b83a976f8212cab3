// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Examines transfers that come after others whenever one of those has changed.
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

    /// Refuses transfers that come after one that is not on record.
    func check(_ specs: [TransferSpec]) async throws(QueueError) {
        let ids = Array(Set(specs.flatMap(\.predecessors)))
        guard !ids.isEmpty else { return }
        defer { for id in ids { registry.release(id) } }
        if let missing = await registry.load(ids).min() { throw .notFound(missing) }
    }

    /// Has a transfer examined now, and whenever one of its predecessors has changed.
    func add(_ transfer: Transfer) {
        looks.add(transfer.id, after: transfer.awaitedPredecessors)
        look()
    }

    /// Records that a transfer has ended, begins again after its end, or was forgotten.
    func changed(_ id: TransferID, hasCompleted: Bool = false) {
        if looks.changed(id, hasCompleted: hasCompleted) { look() }
    }

    /// Updates the predecessors of a transfer after a decision: it may now wait for fewer.
    func updateAwaited(_ transfer: Transfer, before: Transfer) {
        guard !before.spec.predecessors.isEmpty else { return }
        looks.keep(transfer.awaitedPredecessors, of: transfer.id)
    }

    /// Defers examinations until the daemon has read what the previous one left: `lookAtAll` then examines all
    /// together.
    func begin() { _ = looks.begin() }

    private func look() {
        guard !registry.isStopping, looks.begin() else { return }
        registry.loop.startTask { await self.lookAtAll() }
    }

    /// Examines all transfers that must be examined, in batches; the examination has already begun.
    ///
    /// Costs a read for each changed transfer and a commit for each that comes after one. It does not examine
    /// everything that a transfer comes after.
    func lookAtAll() async {
        var held: Set<TransferID> = []
        while !registry.isStopping, !looks.isEmpty {
            let chunk = looks.removeFirst(256)
            await registry.load(chunk.map(\.id))
            for (id, predecessors) in chunk {
                // Listing transfers in the meantime releases them afterwards: all must be in memory at the same moment.
                await registry.load([id] + predecessors)
                held.formUnion(predecessors)
                let standings = Dictionary(uniqueKeysWithValues: predecessors.map { ($0, standing(of: $0)) })
                // A decision that is being committed is released after the commit.
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

    private func standing(of id: TransferID) -> PredecessorStanding {
        // An end counts only once it is durable.
        looks.hasCompleted(id) ? .completed : .init(registry[id]?.visible)
    }
}
