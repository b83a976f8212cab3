// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Handles the engine's reports about running requests.
extension AttemptRunner {
    /// Called on the loop with the engine's events, in order.
    func engineReported(_ events: [EngineEvent]) {
        for event in events {
            switch event {
            case .receiving(let key, let validator, let total, let coding): receiving(key, validator, total, coding)
            case .divisible(let key, let total, let answer):
                handle(.divisible(total: total, answer: answer), of: key.id, attempt: key.attempt)
            case .answeredBeside(let key, let validator):
                registry[key.id]?.transfer.mixed(attempt: key.attempt)
                handle(.answeredBeside(lane: key.lane, validator), of: key.id, attempt: key.attempt)
            case .naming(let key, let name): named(key.id, attempt: key.attempt, name)
            case .interim(let key, let fields):
                receiveInterim(fields, key)
            case .firstByte(let key, let seconds): counts.countFirstByte(of: key, ago: seconds)
            case .progress(let list): progressed(list)
            case .ended(let key, let result, let reached):
                Doing.transfer(key.id, .deciding) {
                    handle(.ended(lane: key.lane, result, reached: reached), of: key.id, attempt: key.attempt)
                    laneEnded(key.id)
                }
            case .released(let key):
                // A stopping daemon releases all running requests: that is not a failure, and the next daemon continues
                // them.
                if registry.isStopping { handle(.breakOff, of: key.id, attempt: key.attempt) }
                handle(.released(lane: key.lane), of: key.id, attempt: key.attempt)
            }
        }
        turns.fill()
    }

    /// Passes on to an app only the response that makes its upload resumable: a server may send thousands.
    private func receiveInterim(_ fields: [HeaderField], _ key: RequestKey) {
        let wasKept = registry[key.id]?.run?.attempt.kept != nil
        handle(.receivedInterim(fields, lane: key.lane), of: key.id, attempt: key.attempt)
        guard !wasKept, let entry = registry[key.id], let attempt = entry.run?.attempt, attempt.kept != nil else {
            return
        }
        notices.sessions.reportInterim(fields, entry.transfer, position: attempt.position ?? entry.transfer.bytesDone)
    }

    private func receiving(
        _ key: RequestKey,
        _ validator: PartialDownload.Validator?,
        _ total: Int64?,
        _ coding: String?
    ) {
        let id = key.id
        registry[id]?.transfer.receiving(
            attempt: key.attempt,
            validator: validator,
            total: total,
            coding: coding,
            bootID: registry.now().bootID
        )
        registry.loop.startTask {
            // A short attempt has ended by now: its end is stored together with this.
            if self.registry.isRunning(id, attempt: key.attempt) { await self.registry.persist(id) }
        }
    }

    private func progressed(_ list: [EngineProgress]) {
        let now = registry.now()
        var notices: [TransferNotice.Progress] = []
        for progress in list {
            guard var entry = registry[progress.id], var run = entry.run, run.attempt.number == progress.key.attempt
            else {
                continue
            }
            _ = run.attempt.handle(.moved(lane: progress.key.lane, reached: progress.bytesDone), now: now)
            let position = run.attempt.position ?? progress.bytesDone
            entry.transfer.progressed(
                attempt: progress.key.attempt,
                done: position,
                total: progress.bytesTotal,
                synced: nil
            )
            run.meter.add(bytes: position, uptime: now.uptime)
            entry.run = run
            let mustStore = !entry.isRunningStored
            entry.isRunningStored = true
            registry[progress.id] = entry
            counts.countBytes(of: progress.id)
            // If several requests of a transfer report, the last one has its current state.
            if notices.last?.id == progress.id { notices.removeLast() }
            notices.append(
                .init(
                    id: progress.id,
                    bytesDone: entry.transfer.bytesDone,
                    bytesTotal: entry.transfer.bytesTotal,
                    rate: run.meter.rate,
                    standing: self.notices.views.standing(of: entry.transfer)
                )
            )
            // The first tick stores that the transfer runs; later ones store only checkpoints.
            if mustStore { registry.loop.startTask { await self.registry.persist(progress.id) } }
            recordPieces(progress.id)
            checkpoint(progress.id)
            if registry[progress.id]?.run?.attempt.isWatched == true {
                let free = registry.schedule.freeConnections(for: progress.id)
                handle(.measured(free: free), of: progress.id, attempt: progress.key.attempt)
            }
        }
        self.notices.progressed(notices)
    }

    /// Syncs a long download from time to time.
    private func checkpoint(_ id: TransferID) {
        Checkpoint(registry: registry, lanes: lanes, environment: environment).begin(id) { [weak self] failure in
            self?.handle(.unsynced(failure), of: id)
        }
    }

    /// Divides a transfer's share among its requests again after one has begun or ended.
    func shareBandwidth(of id: TransferID) {
        if turns.limits.rateLimit != nil { return shareBandwidth() }
        guard let requests = requests(of: id), requests.cap != nil else { return }
        limit(BandwidthShares.divide(nil, among: [requests]))
    }

    /// Divides the limit of all transfers among the running ones, and each transfer's share among its requests.
    func shareBandwidth() {
        limit(BandwidthShares.divide(turns.limits.rateLimit, among: registry.live.keys.compactMap { requests(of: $0) }))
    }

    private func requests(of id: TransferID) -> BandwidthShares.Requests? {
        guard let entry = registry[id], case .running = entry.transfer.state, let attempt = entry.run?.attempt else {
            return nil
        }
        let keys = attempt.lanes.map { RequestKey(id, attempt: attempt.number, lane: $0) }
        return (keys, entry.transfer.spec.rateLimit)
    }

    private func limit(_ rates: [(key: RequestKey, rate: Int64?)]) {
        for (key, rate) in rates { engine?.setRateLimit(key, bytesPerSecond: rate) }
    }
}
