// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

/// Actions on many transfers, and observers of many transfers.
extension DaemonServer {
    /// The number of transfers that share a commit.
    private static let slice = 128
    /// The number of store pages that are handled for one answer, if the client asks in parts.
    private static let pagesOfAnswer = 5

    func act(_ request: ActOnTransfers) async throws -> ActOnTransfers.Reply {
        switch request.selection {
        case .ids(let ids):
            try Self.checkCount(ids.count)
            return await act(request.verb, on: ids)
        case .all:
            var reply = ActOnTransfers.Reply(done: [], refused: [])
            var query = TransferQuery(limit: 1000)
            query.before = request.before
            (query.kinds, query.results) =
                switch request.verb {
                case .pause: ([.queued, .waiting, .running], nil)
                case .cancel, .release: ([.queued, .waiting, .running, .paused], nil)
                case .resume: ([.paused], nil)
                case .retry: ([.finished], [.failed])
                case .forget: ([.finished], nil)
                }
            for count in 1... {
                let page = try await queue.page(query)
                let some = await act(request.verb, on: page.snapshots.map(\.transfer.id))
                reply.done += some.done
                // The verb does not apply to transfers that ended while other transfers were handled.
                reply.refused += some.refused.filter { ![.notApplicable, .notFound].contains($0.failure.code) }
                guard page.hasMore, let last = page.snapshots.last else { return reply }
                query.before = last.transfer.id
                guard count < Self.pagesOfAnswer || request.isInParts != true else {
                    reply.next = query.before
                    return reply
                }
            }
            return reply
        }
    }

    /// Several at once, to share a commit, but not too many, to leave the loop time for other work.
    private func act(_ verb: ActOnTransfers.Verb, on ids: [TransferID]) async -> ActOnTransfers.Reply {
        var reply = ActOnTransfers.Reply(done: [], refused: [])
        for start in stride(from: 0, to: ids.count, by: Self.slice) {
            let some = Array(ids[start..<min(start + Self.slice, ids.count)])
            let tasks = some.map { id in loop.startTask { await act(verb, on: id) } }
            for (id, task) in zip(some, tasks) {
                if let refusal = await task.value { reply.refused.append(refusal) } else { reply.done.append(id) }
            }
        }
        return reply
    }

    private func act(_ verb: ActOnTransfers.Verb, on id: TransferID) async -> ActOnTransfers.Refusal? {
        do {
            switch verb {
            case .pause: try await queue.pause(id)
            case .resume: try await queue.resume(id)
            case .cancel: try await queue.cancel(id)
            case .release: try await queue.letGo(id)
            case .retry: try await queue.retry(id)
            case .forget: try await queue.forget(id)
            }
            return nil
        } catch {
            return .init(id: id, failure: Self.failure(for: error))
        }
    }

    func watch(
        _ request: WatchTransfers,
        connection: UInt64
    ) async throws -> EncodedReply<WatchTransfers.Reply> {
        try Self.checkCount(request.ids?.count ?? 0)
        // Observe first and read afterwards, so that a change in between is reported twice rather than never.
        guard try observe(request, connection) else { return try EncodedReply(WatchTransfers.Reply(rows: [])) }
        if let ids = request.ids {
            // Returns all transfers or fails: a missing row would mean that the transfer does not exist.
            let reply = WatchTransfers.Reply(rows: await queue.snapshots(ids).map(\.row))
            return EncodedReply(payload: try await coding.encode(reply, rows: reply.rows.count))
        }
        // Running transfers come first: the waiting ones may be too many for one answer.
        var ids: [TransferID] = []
        var seen: Set<TransferID> = []
        for kind in [TransferState.Kind.running, .waiting, .queued, .paused] {
            let room = WatchTransfers.rowLimit - ids.count
            guard room > 0 else { break }
            let found = try await queue.page(TransferQuery(kinds: [kind], limit: room)).snapshots.map(\.transfer.id)
            // A transfer that has changed its state in the meantime may be found twice.
            ids.append(contentsOf: found.filter { seen.insert($0).inserted })
        }
        return try await coding.encodePage(queue.snapshots(ids).map(\.row)) { rows, isCut in
            WatchTransfers.Reply(rows: rows, hasMore: isCut ? true : nil)
        }
    }

    /// Starts the observation that a connection requests. There is one of each kind, however often it is requested.
    ///
    /// - Returns: false if the connection is gone.
    private func observe(_ request: WatchTransfers, _ id: UInt64) throws(WireFailure) -> Bool {
        guard let connection = connections[id] else { return false }
        let onlyOutcomes = request.onlyOutcomes ?? false
        let count = request.ids?.count ?? 0
        guard connections.mayWatch(count, more: connection) else {
            throw WireFailure(
                .badRequest,
                "Too many transfers are watched by their numbers: watch all of them, or some at a time."
            )
        }
        let ids = request.ids
        let kind = TransferObservations.Kind(isOfAll: ids == nil, onlyOutcomes: onlyOutcomes)
        let known = connection.observations.token(of: kind)
        let send: @Sendable (TransferNotice, UInt64) -> Void = { [weak self] notice, number in
            self?.assumeIsolated { $0.tell(notice, number, to: id) }
        }
        let token = queue.assumeIsolated {
            $0.observe(ids, onlyOutcomes: onlyOutcomes, extending: known, send: send)
        }
        connections.watch(count, by: token, of: kind, for: connection)
        return true
    }

    /// Sends a notice, which is encoded once for all its observers.
    private func tell(_ notice: TransferNotice, _ number: UInt64, to connection: UInt64) {
        if lastNotice?.number != number {
            guard let payload = try? WireCoding.encode(notice.event) else { return }
            lastNotice = (number, payload)
        }
        guard let payload = lastNotice?.payload else { return }
        sendEvent(encoded: payload, named: TransferEvent.name, to: connection)
    }
}
