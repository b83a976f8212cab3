// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Examines transfers that come after other transfers whenever one of their predecessors has changed.
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

    /// The maximum number of predecessors of all transfers in one hand-over together.
    private static let mostAtOnce = 10_000
    /// How many transfers are in memory at a time because they are examined.
    private static let chunk = 256

    /// Refuses transfers that come after one that is not on record, or after too many.
    func check(_ specs: [TransferSpec]) async throws(QueueError) {
        let ids = Set(specs.lazy.flatMap(\.predecessors)).sorted()
        guard ids.count <= Self.mostAtOnce else {
            throw .notApplicable(
                "What is handed over at once can come after \(Self.mostAtOnce) transfers: hand over less at a time."
            )
        }
        for start in stride(from: 0, to: ids.count, by: Self.chunk) {
            let some = Array(ids.dropFirst(start).prefix(Self.chunk))
            let missing = await registry.load(some)
            for id in some { registry.release(id) }
            if let first = missing.min() { throw .notFound(first) }
        }
    }

    /// Schedules a transfer for examination now, and whenever one of its predecessors has changed.
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

    /// Defers examinations until the daemon has read the previous daemon's transfers: `lookAtAll` then examines all
    /// together.
    func begin() { _ = looks.begin() }

    private func look() {
        guard !registry.isStopping, looks.begin() else { return }
        registry.loop.startTask { await self.lookAtAll() }
    }

    /// Examines all transfers that must be examined, in batches; the examination has already begun.
    ///
    /// Costs a read per changed transfer and a commit per transfer that comes after one. It does not examine all
    /// predecessors of a transfer.
    func lookAtAll() async {
        var held: Set<TransferID> = []
        while !registry.isStopping, !looks.isEmpty {
            let chunk = looks.removeFirst(Self.chunk)
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
