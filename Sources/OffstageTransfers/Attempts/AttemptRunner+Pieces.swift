// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Downloads in pieces: further requests, and the record of what the file holds.
extension AttemptRunner {
    /// How long received pieces may be missing from the store, in seconds: a daemon that is killed loses as much.
    private static let storeInterval = 1.0

    /// Stores that the file gets holes. What lies behind a hole is written only after that.
    func commitHoles(_ id: TransferID) {
        guard let number = registry[id]?.run?.attempt.number else { return }
        takeOverPieces(of: id)
        registry[id]?.isRunningStored = true
        registry.loop.startTask {
            await self.registry.persist(id)
            if !self.registry.isStopping { self.handle(.holesCommitted, of: id, attempt: number) }
        }
    }

    func fetchPiece(_ id: TransferID, _ lane: Int, _ piece: Range<Int64>, _ request: DialectRequest?) {
        guard let entry = registry[id], let run = entry.run, let file = run.file, !registry.isStopping else { return }
        var order = EngineRequest(
            id: id,
            attempt: run.attempt.number,
            lane: lane,
            spec: entry.transfer.spec.of(request),
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: piece.lowerBound,
            partial: entry.transfer.partial,
            rateLimit: turns.limits.rateLimit == nil && entry.transfer.spec.rateLimit == nil ? nil : 1
        )
        order.pieceEnd = piece.upperBound
        order.hasOwnConnection = true
        (order.takesRedirectAsAnswer, order.needsMatch) = (request != nil, request != nil)
        engine?.start([order])
        lanesChanged(of: id)
    }

    /// A request has begun or ended: the others share what the transfer may use, and the host's other transfers the rest.
    func lanesChanged(of id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt else { return }
        if turns.limits.rateLimit != nil || attempt.held != nil || attempt.dialect?.lanes ?? 1 > 1 {
            shareBandwidth(of: id)
        }
        guard attempt.dialect == nil || attempt.dialect is any SharingDialect else { return }
        registry.schedule.occupy(id, connections: attempt.lanes.count)
    }

    /// The request of a lane is over.
    func laneEnded(_ id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt, attempt.held != nil || attempt.dialect?.lanes ?? 1 > 1 else {
            return
        }
        notePieces(id)
        lanesChanged(of: id)
    }

    /// Takes over what the file of a running attempt in pieces holds, and has it stored from time to time.
    func notePieces(_ id: TransferID) {
        guard let run = registry[id]?.run, run.attempt.held != nil else { return }
        takeOverPieces(of: id)
        let now = registry.now().uptime
        guard now - run.piecesStoredAt >= Self.storeInterval, registry.isRunning(id, attempt: run.attempt.number) else {
            return
        }
        registry[id]?.run?.piecesStoredAt = now
        registry.loop.startTask { await self.registry.persist(id) }
    }

    /// Takes over what the file holds: before any step that is stored.
    func takeOverPieces(of id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt, let held = attempt.held else { return }
        registry[id]?.transfer.holds(held, attempt: attempt.number, bootID: registry.now().bootID)
    }
}
