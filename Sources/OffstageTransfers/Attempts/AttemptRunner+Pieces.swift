// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Downloads in pieces: further requests, and the record of what the file holds.
extension AttemptRunner {
    /// How long the store may lag behind the received pieces, in seconds: if the daemon is killed, that much is lost.
    private static let storeInterval = 1.0

    /// Stores that the file gets holes. Only after that are bytes written behind a hole.
    func commitHoles(_ id: TransferID) {
        guard let number = registry[id]?.run?.attempt.number else { return }
        recordHeldPieces(of: id)
        registry[id]?.isRunningStored = true
        registry.loop.startTask {
            await self.registry.persist(id)
            if !self.registry.isStopping { self.handle(.holesCommitted, of: id, attempt: number) }
        }
    }

    func fetchPiece(_ id: TransferID, _ lane: Int, _ piece: Range<Int64>, _ request: DialectRequest?) {
        guard let orders = orders(of: id) else { return }
        engine?.start([orders.fetch(piece, lane, request)])
        lanesChanged(of: id)
    }

    /// Fetches a piece from another address than the one in use.
    func fetchPiece(_ id: TransferID, _ lane: Int, _ piece: Range<Int64>, _ beside: PieceBeside) {
        guard let order = orders(of: id)?.fetch(piece, lane, beside) else { return }
        engine?.start([order])
        lanesChanged(of: id)
    }

    /// Sends no further requests in this attempt to an address that delivered beside the one in use.
    func leaveAddress(_ id: TransferID, _ address: Int, _ failure: TransferFailure) {
        guard let entry = registry[id], let number = entry.run?.attempt.number,
            let addresses = entry.transfer.spec.mirrors?.addresses, addresses.indices.contains(address)
        else { return }
        // A network problem is not the address's fault.
        if failure.retryClass == .connection, !turns.canReach(addresses[address].url) { return }
        let failure = failure.withoutSecrets(of: entry.transfer.spec.secretRedactor)
        registry.step(id) { $0.leftBeside(address, after: failure, attempt: number, now: $1) }
    }

    /// The schedule of a download that may use several connections, and perhaps several addresses; nil for any other.
    func pieces(of id: TransferID, _ file: AttemptFiles.Opened) -> PieceSchedule? {
        guard let held = file.held, let transfer = registry[id]?.transfer else { return nil }
        let free = registry.schedule.freeConnections(for: id)
        let most = registry.schedule.limits.perHost
        guard
            var pieces = PieceSchedule(of: transfer, from: file.offset, held: held, mostOfHost: most, free: free)
        else { return nil }
        // As many as the owner has chosen, or as the host has free.
        let own = pieces.growth == nil ? Int.max : free.addingClamped(1)
        pieces.share(
            among: PieceSources(of: transfer, now: registry.now(), own: own) { url in
                turns.canReach(url) ? registry.schedule.freeConnections(for: id, at: url.hostKey) : 0
            }
        )
        return pieces
    }

    /// Called before more requests are made: transfers that began together may have used a further server's free
    /// connections.
    func updateFreeConnections(of id: TransferID) {
        guard let besides = registry[id]?.run?.attempt.besides, !besides.isEmpty,
            let addresses = registry[id]?.transfer.spec.mirrors?.addresses
        else { return }
        var free: [Int: Int] = [:]
        for address in besides where addresses.indices.contains(address) {
            free[address] = registry.schedule.freeConnections(for: id, at: addresses[address].url.hostKey)
        }
        registry[id]?.run?.attempt.update(free: free)
    }

    /// Called when a request has begun or ended: shares the bandwidth anew, and updates the schedule's count of
    /// connections in use.
    func lanesChanged(of id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt else { return }
        if turns.limits.rateLimit != nil || attempt.held != nil || attempt.dialect?.lanes ?? 1 > 1 {
            shareBandwidth(of: id)
        }
        guard attempt.dialect == nil || attempt.dialect is any SharingDialect else { return }
        var others: [String: Int] = [:]
        let addresses = registry[id]?.transfer.spec.mirrors?.addresses ?? []
        for (address, count) in attempt.pieces?.lanesBeside ?? [:] where addresses.indices.contains(address) {
            others[addresses[address].url.hostKey, default: 0] += count  // checked: a few lanes
        }
        let own = others.values.reduce(attempt.lanes.count) { $0.subtractingClamped($1) }
        registry.schedule.occupy(id, connections: own, beside: others)
    }

    /// Called when the request of a lane is over.
    func laneEnded(_ id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt, attempt.held != nil || attempt.dialect?.lanes ?? 1 > 1 else {
            return
        }
        recordPieces(id)
        lanesChanged(of: id)
    }

    /// Records which bytes the file of a running attempt in pieces contains, and stores that from time to time.
    func recordPieces(_ id: TransferID) {
        guard let run = registry[id]?.run, run.attempt.held != nil else { return }
        recordHeldPieces(of: id)
        let now = registry.now().uptime
        guard now - run.piecesStoredAt >= Self.storeInterval, registry.isRunning(id, attempt: run.attempt.number) else {
            return
        }
        registry[id]?.run?.piecesStoredAt = now
        registry.loop.startTask { await self.registry.persist(id) }
    }

    /// Records which bytes the file contains: before any step that is stored.
    func recordHeldPieces(of id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt, let held = attempt.held else { return }
        registry[id]?.transfer.holds(held, attempt: attempt.number, bootID: registry.now().bootID)
    }
}
