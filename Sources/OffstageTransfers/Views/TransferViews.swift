// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Shows transfers in their current state, each with its reason: stored records overlaid with memory. Nothing here
/// changes anything.
struct TransferViews: Sendable {
    let registry: TransferRegistry
    let turns: TransferTurns

    /// One page, newest first, each row in its current state.
    func page(_ query: TransferQuery) async throws(StoreError) -> (
        snapshots: [TransferSnapshot], hasMore: Bool, counts: [TransferState.Kind: Int]
    ) {
        let page = try await registry.store.page(query)
        let transfers = overlay(page.transfers, query)
        return (snapshots(of: transfers), page.hasMore, counts(page.counts, of: page.transfers))
    }

    /// Whole transfers in their current state; those that do not exist are left out.
    ///
    /// Read through memory, not past it: a row from the store might be older than the latest notice to observers.
    func snapshots(_ ids: [TransferID]) async -> [TransferSnapshot] {
        var absent: Set<TransferID> = []
        while true {
            let missing = ids.filter { registry[$0] == nil && !absent.contains($0) }
            if missing.isEmpty || registry.isStopping { break }
            absent.formUnion(await registry.load(missing))
        }
        let result = snapshots(of: ids.compactMap { registry[$0]?.visible })
        for id in ids { registry.release(id) }
        return result
    }

    /// The progress of the transfers that are in memory. Other transfers have no progress, or it is only in the store.
    func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)] {
        var progress: [TransferID: (done: Int64, total: Int64?)] = [:]
        for id in ids {
            guard let transfer = registry[id]?.visible else { continue }
            progress[id] = (transfer.bytesDone, transfer.bytesTotal)
        }
        return progress
    }

    /// Overlays stored records with memory: a short attempt is stored as queued.
    private func overlay(_ stored: [Transfer], _ query: TransferQuery) -> [Transfer] {
        let transfers = stored.map { registry[$0.id]?.visible ?? $0 }
        guard let kinds = query.kinds else { return transfers }
        let listed = Set(stored.map(\.id))
        let unstored = registry.live.values.filter { entry in
            let transfer = entry.visible
            return transfer.state.kind == .running && !entry.isRunningStored && kinds.contains(.running)
                && !listed.contains(transfer.id) && transfer.id < query.before ?? TransferID(rawValue: .max)
                && transfer.id > query.after ?? TransferID(rawValue: .min)
                && query.owner ?? transfer.spec.owner == transfer.spec.owner && query.results == nil
                && (query.text.map { text in
                    transfer.spec.destination.contains(text) || transfer.spec.paths.contains { $0.contains(text) }
                } ?? true)
        }.map(\.visible)
        let matching = (transfers + unstored).filter { kinds.contains($0.state.kind) }
        let sorted = matching.sorted { $0.id > $1.id }
        return Array(query.after == nil ? sorted.prefix(query.limit) : sorted.suffix(query.limit))
    }

    /// Corrects the stored counts. Short attempts are stored as queued, and only memory knows how many really run. The
    /// page's transfers are counted as shown, since the store may be behind.
    private func counts(_ stored: [TransferState.Kind: Int], of page: [Transfer]) -> [TransferState.Kind: Int] {
        var counts = stored
        var shown: Set<TransferID> = []
        for transfer in page {
            guard let kind = registry[transfer.id]?.visible.state.kind, kind != transfer.state.kind else { continue }
            shown.insert(transfer.id)
            counts[transfer.state.kind] = max(0, (counts[transfer.state.kind] ?? 0) - 1)  // checked: our own counts
            counts[kind, default: 0] += 1
        }
        let unstored = registry.live.values.count { entry in
            guard case .running = entry.visible.state else { return false }
            return !entry.isRunningStored && !shown.contains(entry.transfer.id)
        }
        let moved = min(unstored, counts[.queued] ?? 0)
        counts[.queued, default: 0] -= moved
        counts[.running, default: 0] += moved
        return counts
    }

    private func snapshots(of transfers: [Transfer]) -> [TransferSnapshot] {
        let causes = registry.schedule.causes(of: transfers.map(\.id))
        return transfers.map { snapshot($0, lineCause: causes[$0.id]) }
    }

    /// A transfer with its reason.
    func snapshot(_ transfer: Transfer) -> TransferSnapshot {
        snapshot(transfer, lineCause: registry.schedule.causes(of: [transfer.id])[transfer.id])
    }

    private func snapshot(_ transfer: Transfer, lineCause: Reason.Cause?) -> TransferSnapshot {
        let isRunning = transfer.state.kind == .running
        return TransferSnapshot(
            transfer: transfer,
            reason: reason(for: transfer, lineCause: lineCause),
            bytesDone: transfer.bytesDone,
            bytesTotal: transfer.bytesTotal,
            rate: isRunning ? registry[transfer.id]?.run?.meter.rate ?? 0 : 0,
            standing: standing(of: transfer)
        )
    }

    /// The progress of an upload in a dialect: its current step, or where it will continue.
    func standing(of transfer: Transfer) -> String? {
        // It may wait for its keeper, in any dialect.
        if transfer.spec.keeper != nil, transfer.state.kind == .running,
            let words = registry[transfer.id]?.run?.attempt.standing
        {
            return words
        }
        guard transfer.spec.isUpload, transfer.spec.dialect != nil || transfer.isKeptByServer else {
            let words = [silence(of: transfer) ?? downloading(transfer), mirrors(of: transfer)]
            let said = words.compactMap { $0 }.joined(separator: "; ")
            return said.isEmpty ? nil : said
        }
        if transfer.state.kind == .running, let attempt = registry[transfer.id]?.run?.attempt, attempt.dialect != nil {
            return attempt.standing
        }
        guard transfer.dialectMemory != nil, transfer.outcome.map({ !$0.isSuccess && !$0.isCancelled }) ?? true else {
            return nil
        }
        return try? Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: registry.now()).standing
    }

    /// The number of connections of a running download, or what it waits for; nil for one connection.
    private func downloading(_ transfer: Transfer) -> String? {
        guard !transfer.spec.isUpload, case .running = transfer.state else { return nil }
        return registry[transfer.id]?.run?.attempt.standing
    }

    /// The address in use, of several, and why other addresses were abandoned.
    private func mirrors(of transfer: Transfer) -> String? {
        guard !transfer.isFinished, let mirrors = transfer.spec.mirrors else { return nil }
        return mirrors.standing(beside: registry[transfer.id]?.run?.attempt.delivering ?? [])
    }

    /// Seconds without a byte after which an attempt's silence is reported.
    private static let silenceWorthTelling = 5.0

    /// The server that an attempt waits for without having moved a byte; nil for any other attempt.
    private func silence(of transfer: Transfer) -> String? {
        guard case .running(let attempt) = transfer.state, transfer.bytesDone <= attempt.offset,
            registry.now().seconds(since: attempt.startedAt) >= Self.silenceWorthTelling
        else { return nil }
        let proxy = transfer.spec.proxy.proxy(for: transfer.spec.url).flatMap(ProxyAddress.init)
        return "no byte has been exchanged with \(transfer.spec.url.hostKey)\(CurlFailureMapping.way(by: proxy)) yet"
    }
}
