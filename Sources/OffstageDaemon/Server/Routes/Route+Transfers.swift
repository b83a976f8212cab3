// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

extension Route {
    /// The requests about transfers.
    static let ofTransfers = [
        Route(
            reading: SubmitTransfers.self,
            "queues transfers in order, all of them or none; answered once they are on disk; one whose owner and submission key are on record is answered with its number; a transfer in a dialect is refused if this daemon does not speak it, or if its account is missing or belongs to another place"
        ) { server, frame, connection in
            try await server.submissions.accept(frame, of: connection)
        },
        Route(
            ListTransfers.self,
            "one page, newest first",
            encoding: { server, request, _ in
                try await server.list(request)
            }
        ),
        Route(
            ReadTimeline.self,
            "what has lasted between two times, and with the last page what lasts now and what is expected",
            rows: { _ in .max }
        ) { server, request, _ in
            try await server.timeline(request)
        },
        Route(
            ShowTransfers.self,
            "everything about some transfers that may be shown",
            rows: { _ in .max }  // even a single row may have a lot of text
        ) { server, request, _ in
            try await server.show(request)
        },
        Route(
            CheckObject.self,
            "asks the server of a transfer that has completed what it has of the file now"
        ) { server, request, connection in
            guard let transfer = await server.queue.snapshots([request.id]).first?.transfer else {
                throw QueueError.notFound(request.id)
            }
            return CheckObject.Reply(object: try await server.inquiries.object(of: transfer, connection))
        },
        Route(
            ActOnTransfers.self,
            "`pause`, `resume`, `cancel`, `retry`, `forget`, `release`, for up to 1000 by number or for all; all in parts, if the client asks for that (`isInParts`, `next`)",
            rows: { $0.done.count + $0.refused.count }  // checked: counts of arrays in memory
        ) { server, request, _ in
            try await server.act(request)
        },
        Route(
            ChangeTransfer.self,
            "changes priority, label, begin date, URL or file of a transfer that is not under way"
        ) { server, request, _ in
            ChangeTransfer.Reply(dropped: try await server.queue.edit(request.id, request.edit))
        },
        Route(
            SetRateLimit.self,
            "changes the bandwidth limit of one transfer or of all together",
            doing: { server, request, _ in
                if let limit = request.bytesPerSecond, limit <= 0 {
                    throw WireFailure(.badRequest, "A rate limit must be above 0 bytes a second.")
                }
                try await server.queue.setRateLimit(request.bytesPerSecond, of: request.id)
            }
        ),
        Route(
            SetHeaders.self,
            "sets header fields and releases a transfer that waits for credentials",
            doing: { server, request, _ in
                for header in request.headers { try header.validate() }
                try await server.queue.setHeaders(request.headers, of: request.id)
            }
        ),
        Route(
            ListQueueLines.self,
            "how many transfers wait and run for each owner and host",
            rows: { $0.lines.count }
        ) { server, _, _ in
            let found = await server.queue.lines(most: ListQueueLines.mostLines)
            return ListQueueLines.Reply(lines: found.lines, more: found.more)
        },
        Route(
            WatchTransfers.self,
            "from now on this connection receives events",
            encoding: { server, request, connection in
                try await server.watch(request, connection: connection)
            }
        ),
    ]

    /// The requests about the daemon itself.
    static let ofDaemon = [
        Route(GetStatus.self, "the state of the daemon") { server, _, _ in try await server.status() },
        Route(GetMetrics.self, "what the daemon has counted and measured") { server, _, _ in
            try await server.metrics()
        },
        Route(
            StopDaemon.self,
            "commits, interrupts running transfers and exits",
            doing: { server, _, _ in
                server.information.requestStop()
            }
        ),
        Route(
            HandOver.self,
            "asks an older daemon to make room",
            doing: { server, _, _ in
                server.information.requestStop()
            }
        ),
    ]
}

/// What the routes of transfers need in addition to the queue.
extension DaemonServer {
    func route(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer {
        guard let route = RouteTable.route(frame.name) else {
            throw WireFailure(.badRequest, "This daemon does not know the request '\(frame.name.redactedControls)'.")
        }
        return try await route.answer(self, frame, connection)
    }

    fileprivate func list(_ request: ListTransfers) async throws -> EncodedReply<ListTransfers.Reply> {
        var query = request.query
        query.limit = min(max(query.limit, 1), 1000)
        let page = try await queue.page(query)
        let counts = Dictionary(page.counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
        let hasMore = page.hasMore
        // The next page begins where this one ends: below its last row, or above its first one.
        return try await coding.encodePage(page.snapshots.map(\.row), isFromEnd: query.after != nil) { rows, isCut in
            ListTransfers.Reply(rows: rows, hasMore: hasMore || isCut, counts: counts)
        }
    }

    fileprivate func show(_ request: ShowTransfers) async throws -> ShowTransfers.Reply {
        try Self.checkCount(request.ids.count)
        let snapshots = await queue.snapshots(request.ids)
        if snapshots.count < request.ids.count {
            let found = Set(snapshots.map(\.transfer.id))
            if let missing = request.ids.first(where: { !found.contains($0) }) { throw QueueError.notFound(missing) }
        }
        let (token, reveals) = (information.storeToken, request.reveals ?? false)
        // Off the loop, because the servers' texts are searched for secrets.
        let details = await queue.offLoop { snapshots.map { $0.detail(storeToken: token, reveals: reveals) } }
        return ShowTransfers.Reply(details: details)
    }

    static func checkCount(_ count: Int) throws {
        guard count <= WatchTransfers.idLimit else {
            throw WireFailure(.badRequest, "One request may name \(WatchTransfers.idLimit) transfers: ask in parts.")
        }
    }

    fileprivate func status() async throws -> DaemonStatus {
        let page = try await queue.page(TransferQuery(limit: 1))
        let notice = await queue.storeNotice
        let sessionNotices = await sessions.notices
        return DaemonStatus(
            version: .current,
            processID: getpid(),
            uptime: information.uptime(),
            socketPath: information.socketPath(),
            storePath: information.paths.store,
            settingsPath: information.paths.settings,
            counts: Dictionary(page.counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
            connections: connections.count,
            network: information.network(),
            rateLimit: await queue.rateLimit,
            schedule: await queue.scheduleReport.map(ScheduleStatus.init),
            // checked: arrays, not numbers
            notices: information.notices() + sessionNotices + (notice.map { [$0] } ?? []),
            startedBy: information.startedBy,
            desktop: information.desktopProblem() ?? ""
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

    fileprivate func detail(storeToken: String, reveals: Bool) -> TransferDetail {
        let (isSuccess, isFinished) = (transfer.outcome?.isSuccess == true, transfer.isFinished)
        // A transfer that ended without receiving a byte has no partial file.
        let hasPartial = !transfer.spec.isUpload && !isSuccess && !(isFinished && row.bytesDone == 0)
        let path = AttemptFiles.partialPath(of: transfer, storeToken: storeToken)
        return TransferDetail(
            transfer: transfer,
            row: row,
            partialPath: hasPartial ? path : nil,
            options: Dialects.options(of: transfer.spec),
            receipt: TransferReceipt(of: transfer),
            reveals: reveals
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
