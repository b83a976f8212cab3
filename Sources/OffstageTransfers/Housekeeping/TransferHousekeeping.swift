// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// Forgets finished transfers beyond the configured limits, and deletes the files that they left.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferHousekeeping: @unchecked Sendable {
    let leftovers: TransferLeftovers
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let predecessors: PredecessorWatch
    private let notices: TransferNotices
    private let keepsDays: Int
    private let keepsCount: Int
    private var pruning = PruneRule()

    init(
        _ registry: TransferRegistry,
        _ turns: TransferTurns,
        _ predecessors: PredecessorWatch,
        _ notices: TransferNotices,
        _ leftovers: TransferLeftovers,
        _ settings: Settings
    ) {
        self.registry = registry
        self.turns = turns
        self.predecessors = predecessors
        self.notices = notices
        self.leftovers = leftovers
        keepsDays = settings.keepFinishedDays
        keepsCount = settings.keepFinishedCount
    }

    /// Counts transfers that have ended, or may now be forgotten. After many such transfers, finished ones are pruned.
    func record(ended count: Int) {
        pruning.record(ended: count)
        // Begun at once: hundreds of transfers may end before the task runs.
        if pruning.beginIfDue(at: registry.now()) { registry.loop.startTask { await self.carryOutPrune() } }
    }

    /// Forgets finished transfers beyond the configured limits.
    func prune() async {
        if pruning.begin(at: registry.now()) { await carryOutPrune() }
    }

    /// Prunes; `pruning` has already begun.
    private func carryOutPrune() async {
        defer { pruning.end() }
        let oldest = registry.now().wall.addingTimeInterval(-86_400 * Double(keepsDays))
        // In batches: a session may have had a hundred thousand, and neither the loop nor the store may be blocked.
        while !registry.isStopping {
            let pruned = try? await registry.store.prune(finishedBefore: oldest, keeping: keepsCount)
            guard let pruned, !pruned.isEmpty else { return }
            for one in pruned {
                if let transfer = one.transfer { forget(transfer) } else { forgotten(one.id) }
            }
        }
    }

    /// Forgets a finished transfer that is no longer in the store, and deletes any files it left.
    func forget(_ transfer: Transfer) {
        leftovers.delete(leftovers.files(of: transfer))
        forgotten(transfer.id)
    }

    private func forgotten(_ id: TransferID) {
        registry.forgotten(id)
        turns.settled(id)
        predecessors.changed(id)
        registry.crashes.forget(.transfer(id))
        notices.removed(id)
    }
}
