// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What the queue shows: nothing here changes anything.
extension TransferQueue {
    /// One page, newest first, each row as it is at this moment.
    package func page(_ query: TransferQuery) async throws(StoreError) -> (
        snapshots: [TransferSnapshot], hasMore: Bool, counts: [TransferState.Kind: Int]
    ) {
        let page = try await store.page(query)
        let transfers = overlay(page.transfers, query)
        return (snapshots(of: transfers), page.hasMore, counts(page.counts, of: page.transfers))
    }

    /// Whole transfers as they are at this moment; those that do not exist are left out.
    ///
    /// Read through memory, not beside it: a row from the store might be older than what observers were just told.
    package func snapshots(_ ids: [TransferID]) async -> [TransferSnapshot] {
        var absent: Set<TransferID> = []
        while true {
            let missing = ids.filter { live[$0] == nil && !absent.contains($0) }
            if missing.isEmpty || isStopping { break }
            absent.formUnion(await load(missing))
        }
        let result = snapshots(of: ids.compactMap { live[$0]?.visible })
        for id in ids { release(id) }
        return result
    }

    /// How far those are that are in memory: of the others nothing is across, or nothing is known without a look at the
    /// store.
    package func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)] {
        var progress: [TransferID: (done: Int64, total: Int64?)] = [:]
        for id in ids {
            guard let transfer = live[id]?.visible else { continue }
            progress[id] = (transfer.bytesDone, transfer.bytesTotal)
        }
        return progress
    }

    /// Computes something on a worker that would keep the loop from others.
    package func offLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await workers.run(body)
    }

    /// Puts what memory knows over what is stored: a short attempt is stored as queued.
    private func overlay(_ stored: [Transfer], _ query: TransferQuery) -> [Transfer] {
        let transfers = stored.map { live[$0.id]?.visible ?? $0 }
        guard let kinds = query.kinds else { return transfers }
        let listed = Set(stored.map(\.id))
        let unstored = live.values.filter { entry in
            let transfer = entry.transfer
            return transfer.state.kind == .running && !entry.isRunningStored && kinds.contains(.running)
                && !listed.contains(transfer.id) && transfer.id < query.before ?? TransferID(rawValue: .max)
                && query.owner ?? transfer.spec.owner == transfer.spec.owner && query.results == nil
                && (query.text.map { text in
                    transfer.spec.destination.contains(text) || transfer.spec.paths.contains { $0.contains(text) }
                } ?? true)
        }.map(\.visible)
        let matching = (transfers + unstored).filter { kinds.contains($0.state.kind) }
        return Array(matching.sorted { $0.id > $1.id }.prefix(query.limit))
    }

    /// Short attempts are stored as queued: memory knows how many really run. What is shown of the page is counted as it is
    /// shown: the store may be behind.
    private func counts(_ stored: [TransferState.Kind: Int], of page: [Transfer]) -> [TransferState.Kind: Int] {
        var counts = stored
        var shown: Set<TransferID> = []
        for transfer in page {
            guard let kind = live[transfer.id]?.visible.state.kind, kind != transfer.state.kind else { continue }
            shown.insert(transfer.id)
            counts[transfer.state.kind] = max(0, (counts[transfer.state.kind] ?? 0) - 1)  // checked: our own counts
            counts[kind, default: 0] += 1
        }
        let unstored = live.values.count { entry in
            guard case .running = entry.transfer.state else { return false }
            return !entry.isRunningStored && !shown.contains(entry.transfer.id)
        }
        let moved = min(unstored, counts[.queued] ?? 0)
        counts[.queued, default: 0] -= moved
        counts[.running, default: 0] += moved
        return counts
    }

    private func snapshots(of transfers: [Transfer]) -> [TransferSnapshot] {
        let causes = schedule.causes(of: transfers.map(\.id))
        return transfers.map { snapshot($0, lineCause: causes[$0.id]) }
    }

    /// A transfer with its reason.
    func snapshot(_ transfer: Transfer) -> TransferSnapshot {
        snapshot(transfer, lineCause: schedule.causes(of: [transfer.id])[transfer.id])
    }

    private func snapshot(_ transfer: Transfer, lineCause: Reason.Cause?) -> TransferSnapshot {
        let isRunning = transfer.state.kind == .running
        return TransferSnapshot(
            transfer: transfer,
            reason: reason(for: transfer, lineCause: lineCause),
            bytesDone: transfer.bytesDone,
            bytesTotal: transfer.bytesTotal,
            rate: isRunning ? live[transfer.id]?.run?.meter.rate ?? 0 : 0,
            standing: standing(of: transfer)
        )
    }

    /// Where an upload in a dialect stands: what it does now, or from where it will go on.
    func standing(of transfer: Transfer) -> String? {
        guard transfer.spec.dialect != nil else { return silence(of: transfer) }
        if transfer.state.kind == .running, let attempt = live[transfer.id]?.run?.attempt, attempt.dialect != nil {
            return attempt.standing
        }
        guard transfer.dialectMemory != nil, transfer.outcome.map({ !$0.isSuccess && !$0.isCancelled }) ?? true else {
            return nil
        }
        return try? Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: environment.now()).standing
    }

    /// Seconds without a byte after which an attempt's silence is worth a word.
    private static let silenceWorthTelling = 5.0

    /// Whom an attempt waits for that has moved no byte; nil for any other.
    private func silence(of transfer: Transfer) -> String? {
        guard case .running(let attempt) = transfer.state, transfer.bytesDone <= attempt.offset,
            environment.now().seconds(since: attempt.startedAt) >= Self.silenceWorthTelling
        else { return nil }
        let proxy = transfer.spec.proxy.proxy(for: transfer.spec.url).flatMap(ProxyAddress.init)
        return "no byte has been exchanged with \(transfer.spec.url.hostKey)\(CurlFailureMapping.way(by: proxy)) yet"
    }

    /// Why a transfer is where it is: the one value that everything prints.
    private func reason(for transfer: Transfer, lineCause: Reason.Cause?) -> Reason {
        let now = environment.now()
        switch transfer.state {
        case .queued(let since):
            if let standing = trouble.standing {
                return Reason(cause: .storeTrouble(standing.sentence), since: standing.since)
            }
            if let problem = environment.networkProblem(transfer.spec.url.host) {
                return Reason(cause: .network(problem), since: since)
            }
            if let hold = hold(of: transfer) {
                let due = hold == .schedule ? limits.until : nil
                return Reason(cause: .held(hold), since: since, nextLook: due)
            }
            if trials.isInLine(transfer.id), case .alone(let crashes) = crashes.standing(of: .transfer(transfer.id)) {
                return Reason(cause: .suspected(crashes: crashes), since: since)
            }
            // One whose file is just being opened is in no line any more, and next to begin.
            return Reason(cause: lineCause ?? .inLine(ahead: 0), since: since)
        case .waiting(let wait):
            switch wait.cause {
            case .retry(let failure, let deadline):
                return Reason(
                    cause: .retry(failure, attempts: transfer.attempts),
                    since: wait.since,
                    nextLook: deadline.date(at: now)
                )
            case .predecessors(let all):
                // What keeps it from ever beginning by itself comes first.
                let first = all.first { $0.end != nil } ?? all.first
                // checked: a count of at most `TransferSpec.mostPredecessors`
                let cause = first.map { Reason.Cause.predecessor($0, others: all.count - 1) }
                return Reason(cause: cause ?? .inLine(ahead: 0), since: wait.since)
            case .earliestBegin(let date):
                return Reason(cause: .earliestBegin, since: wait.since, nextLook: date)
            case .credentials(let host):
                return Reason(cause: .credentials(host: host), since: wait.since)
            case .setAside(let crashes): return Reason(cause: .setAside(crashes: crashes), since: wait.since)
            case .unreadable(let crashes): return Reason(cause: .unreadable(crashes: crashes), since: wait.since)
            case .delegate(let question):
                return Reason(cause: .appDecides(app: transfer.spec.owner, question), since: wait.since)
            }
        case .running(let attempt): return Reason(cause: .running, since: attempt.startedAt.wall)
        case .saving(_, let since): return Reason(cause: .saving, since: since)
        case .paused(let since, _): return Reason(cause: .paused, since: since)
        case .finished(let outcome, let date):
            switch outcome {
            case .completed(let answer):
                let cause = answer.saysThere == true ? Reason.Cause.leftOut : .completed(status: answer.status)
                return Reason(cause: cause, since: date.wall)
            case .failed(let failure, _): return Reason(cause: .failed(failure), since: date.wall)
            case .cancelled, .cancelledByQuit: return Reason(cause: .cancelled, since: date.wall)
            }
        }
    }
}
