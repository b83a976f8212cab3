// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// One case a message: decode, one call, encode. What is decided is decided in the queue.
extension DaemonServer {
    func route(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer {
        if let answer = try await sessionRoute(frame, connection: connection) { return answer }
        if let answer = try await appRoute(frame, connection: connection) { return answer }
        if let answer = try await taskRoute(frame, connection: connection) { return answer }
        if let answer = try await accountRoute(frame) { return answer }
        return RouteAnswer(payload: try await transferRoute(frame, connection: connection))
    }

    /// The reply's payload.
    private func transferRoute(_ frame: WireFrame, connection: UInt64) async throws -> [UInt8] {
        func decode<Request: WireRequest>(_ type: Request.Type) throws -> Request {
            try WireCoding.decode(type, from: frame.payload)
        }
        switch frame.name {
        case SubmitTransfers.name:
            return try WireCoding.encode(try await submit(decode(SubmitTransfers.self)))
        case ListTransfers.name:
            return try WireCoding.encode(try await list(decode(ListTransfers.self)))
        case ShowTransfers.name:
            return try WireCoding.encode(try await show(decode(ShowTransfers.self)))
        case ActOnTransfers.name:
            return try WireCoding.encode(try await act(decode(ActOnTransfers.self)))
        case SetRateLimit.name:
            let request = try decode(SetRateLimit.self)
            if let limit = request.bytesPerSecond, limit <= 0 {
                throw WireFailure(.badRequest, "A rate limit must be above 0 bytes a second.")
            }
            try await queue.setRateLimit(request.bytesPerSecond, of: request.id)
            return try WireCoding.encode(Empty())
        case SetHeaders.name:
            let request = try decode(SetHeaders.self)
            for header in request.headers { try header.validate() }
            try await queue.setHeaders(request.headers, of: request.id)
            return try WireCoding.encode(Empty())
        case WatchTransfers.name:
            return try WireCoding.encode(try await watch(decode(WatchTransfers.self), connection: connection))
        case GetStatus.name:
            return try WireCoding.encode(try await status())
        case StopDaemon.name, HandOver.name:
            information.requestStop()
            return try WireCoding.encode(Empty())
        default:
            throw WireFailure(.badRequest, "This daemon knows no request '\(frame.name.redactedControls)'.")
        }
    }

    private func submit(_ request: SubmitTransfers) async throws -> SubmitTransfers.Reply {
        guard !request.specs.isEmpty else { throw WireFailure(.badRequest, "No transfer was handed over.") }
        var specs = request.specs
        for index in specs.indices {
            try specs[index].validate()
            specs[index] = try await accounts.admitted(specs[index], requiresAccount: true)
        }
        return SubmitTransfers.Reply(ids: try await queue.submit(specs))
    }

    private func list(_ request: ListTransfers) async throws -> ListTransfers.Reply {
        var query = request.query
        query.limit = min(max(query.limit, 1), 1000)
        let page = try await queue.page(query)
        return ListTransfers.Reply(
            rows: page.snapshots.map(\.row),
            hasMore: page.hasMore,
            counts: Dictionary(page.counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
        )
    }

    private func show(_ request: ShowTransfers) async throws -> ShowTransfers.Reply {
        try Self.checkCount(request.ids.count)
        let snapshots = await queue.snapshots(request.ids)
        if snapshots.count < request.ids.count {
            let found = Set(snapshots.map(\.transfer.id))
            if let missing = request.ids.first(where: { !found.contains($0) }) { throw QueueError.notFound(missing) }
        }
        return ShowTransfers.Reply(
            details: snapshots.map { snapshot in
                let transfer = snapshot.transfer
                let partial =
                    transfer.spec.isUpload || transfer.outcome?.isSuccess == true
                    ? nil
                    : AttemptFiles.partialPath(
                        target: transfer.spec.path,
                        id: transfer.id,
                        storeToken: information.storeToken
                    )
                return TransferDetail(
                    transfer: transfer,
                    row: snapshot.row,
                    partialPath: partial,
                    options: Dialects.options(of: transfer.spec)
                )
            }
        )
    }

    private static func checkCount(_ count: Int) throws {
        guard count <= WatchTransfers.idLimit else {
            throw WireFailure(.badRequest, "One request may name \(WatchTransfers.idLimit) transfers: ask in parts.")
        }
    }

    private func act(_ request: ActOnTransfers) async throws -> ActOnTransfers.Reply {
        switch request.selection {
        case .ids(let ids): return await act(request.verb, on: ids)
        case .all:
            var reply = ActOnTransfers.Reply(done: [], refused: [])
            var query = TransferQuery(limit: 1000)
            (query.kinds, query.results) =
                switch request.verb {
                case .pause, .cancel: ([.queued, .waiting, .running] + (request.verb == .cancel ? [.paused] : []), nil)
                case .resume: ([.paused], nil)
                case .retry: ([.finished], [.failed])
                case .forget: ([.finished], nil)
                }
            while true {
                let page = try await queue.page(query)
                let some = await act(request.verb, on: page.snapshots.map(\.transfer.id))
                reply.done += some.done
                // What ended while the others were dealt with is not one that the verb applies to.
                reply.refused += some.refused.filter { ![.notApplicable, .notFound].contains($0.failure.code) }
                guard page.hasMore, let last = page.snapshots.last else { return reply }
                query.before = last.transfer.id
            }
        }
    }

    /// All at once, so that they share one commit.
    private func act(_ verb: ActOnTransfers.Verb, on ids: [TransferID]) async -> ActOnTransfers.Reply {
        let tasks = ids.map { id in
            loop.startTask { () -> ActOnTransfers.Refusal? in
                do {
                    switch verb {
                    case .pause: try await queue.pause(id)
                    case .resume: try await queue.resume(id)
                    case .cancel: try await queue.cancel(id)
                    case .retry: try await queue.retry(id)
                    case .forget: try await queue.forget(id)
                    }
                    return nil
                } catch let error as QueueError {
                    let code: WireFailure.Code = if case .notFound = error { .notFound } else { .notApplicable }
                    return .init(id: id, failure: WireFailure(code, error.sentence))
                } catch {
                    let text = (error as? StoreError)?.sentence ?? "\(error)"
                    return .init(id: id, failure: WireFailure(.store, text))
                }
            }
        }
        var reply = ActOnTransfers.Reply(done: [], refused: [])
        for (id, task) in zip(ids, tasks) {
            if let refusal = await task.value { reply.refused.append(refusal) } else { reply.done.append(id) }
        }
        return reply
    }

    private func watch(_ request: WatchTransfers, connection: UInt64) async throws -> WatchTransfers.Reply {
        let send: @Sendable (TransferNotice) -> Void = { [weak self] notice in
            self?.assumeIsolated { $0.sendEvent(notice.event, named: TransferEvent.name, to: connection) }
        }
        try Self.checkCount(request.ids?.count ?? 0)
        // Observed first, read after: what happens in between is told twice rather than not at all.
        let observation = await queue.observe(
            request.ids,
            onlyOutcomes: request.onlyOutcomes ?? false,
            send: send
        )
        guard remember(observation, for: connection) else {
            await queue.stopObserving(observation)
            return .init(rows: [])
        }
        if let ids = request.ids {
            return .init(rows: await queue.snapshots(ids).map(\.row))
        }
        let query = TransferQuery(kinds: [.queued, .waiting, .running, .paused], limit: 1000)
        let ids = try await queue.page(query).snapshots.map(\.transfer.id)
        return .init(rows: await queue.snapshots(ids).map(\.row))
    }

    private func status() async throws -> DaemonStatus {
        let page = try await queue.page(TransferQuery(limit: 1))
        let notice = await queue.storeNotice
        return DaemonStatus(
            version: .current,
            processID: getpid(),
            uptime: information.uptime(),
            socketPath: information.paths.socket,
            storePath: information.paths.store,
            settingsPath: information.paths.settings,
            counts: Dictionary(page.counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
            connections: connectionCount,
            network: information.network(),
            rateLimit: await queue.rateLimit,
            notices: information.notices() + (notice.map { [$0] } ?? []),
            startedBy: information.startedBy
        )
    }
}

extension TransferSnapshot {
    var row: TransferRow {
        TransferRow(
            transfer: transfer,
            reason: reason,
            bytesDone: bytesDone,
            bytesTotal: bytesTotal,
            rate: rate,
            standing: standing
        )
    }
}

extension TransferNotice {
    var event: TransferEvent {
        switch self {
        case .changed(let snapshot): .changed(snapshot.row)
        case .finished(let snapshot): .finished(snapshot.row)
        case .removed(let id): .removed(id)
        case .progress(let list):
            .progress(
                list.map {
                    .init(
                        id: $0.id,
                        bytesDone: $0.bytesDone,
                        bytesTotal: $0.bytesTotal,
                        rate: $0.rate,
                        standing: $0.standing
                    )
                }
            )
        }
    }
}
