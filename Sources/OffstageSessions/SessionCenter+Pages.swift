// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// Pages of a session's tasks, as replies that are ready to send. They are made on a worker, because hundreds of rows
/// would block the loop.
extension SessionCenter {
    package func tasks(_ request: ListSessionTasks, connection: ConnectionID) async throws -> EncodedReply<
        ListSessionTasks.Reply
    > {
        let session = try held(request.identifier, by: connection)
        if request.isEnded == true { return try await endedTasks(of: session, after: request.afterEnd) }
        let limit = ListSessionTasks.pageLimit
        let rows = try await store.sessionTasks(
            session.identifier,
            of: session.app,
            after: request.after,
            limit: limit + 1
        )
        let progress = await queue.progress(of: rows.map(\.id))
        return try await workers.run {
            let count = PageLength.fitting(rows.prefix(limit).map { $0.spec.utf8.count + 64 })
            let listed = rows.prefix(count).map { row in
                let (done, total) = progress[row.id] ?? (0, nil)
                return ListSessionTasks.Row(
                    id: row.id,
                    task: row.task,
                    kind: row.kind,
                    spec: row.spec,
                    done: done,
                    total: total
                )
            }
            return Result {
                try EncodedReply(ListSessionTasks.Reply(rows: listed, hasMore: rows.count > count))
            }
        }.get()
    }

    /// Ended tasks whose delegate has not been notified, without their outcomes: a relaunched app finds them among its
    /// tasks, and receives their ends afterwards.
    private func endedTasks(
        of session: SessionName,
        after last: TransferID?
    ) async throws -> EncodedReply<ListSessionTasks.Reply> {
        let limit = ListPendingEnds.pageLimit
        let pending = try await store.pendingEnds(
            session.identifier,
            of: session.app,
            after: last,
            limit: limit + 1
        )
        return try await workers.run {
            Result {
                let rows = try pending.prefix(limit).compactMap { end -> ListSessionTasks.Row? in
                    guard let key = end.transfer.spec.sessionTask else { return nil }
                    return ListSessionTasks.Row(
                        id: end.transfer.id,
                        task: key.task,
                        kind: .finished,
                        spec: String(decoding: try WireCoding.encode(end.transfer.spec), as: UTF8.self)
                    )
                }
                let count = PageLength.fitting(rows.map { $0.spec.utf8.count + 64 })
                let hasMore = pending.count > limit || rows.count > count
                return try EncodedReply(ListSessionTasks.Reply(rows: Array(rows.prefix(count)), hasMore: hasMore))
            }
        }.get()
    }

    package func ends(
        _ request: ListPendingEnds,
        connection: ConnectionID
    ) async throws -> EncodedReply<ListPendingEnds.Reply> {
        let session = try held(request.identifier, by: connection)
        let limit = ListPendingEnds.pageLimit
        // Questions come first, so that an app that has received all ends has also received all questions.
        while questions.isBeingLookedUp(session) {
            await readiness.wait(for: .asked(session)) { questions.isBeingLookedUp(session) }
        }
        if isWithheld(session) {
            return try EncodedReply(ListPendingEnds.Reply(ends: [], hasMore: false, isWithheld: true))
        }
        let number = calls.ends(of: session)
        let pending = try await store.pendingEnds(
            session.identifier,
            of: session.app,
            after: request.after,
            limit: limit + 1
        )
        let page = await workers.run {
            let ends = pending.prefix(limit).compactMap {
                SessionTaskEnd($0.transfer, isFileTaken: $0.isFileTaken, withSpec: true)
            }
            let count = PageLength.fitting(ends.map(\.length))
            let hasMore = pending.count > limit || ends.count > count
            let encoded = Result {
                try EncodedReply(ListPendingEnds.Reply(ends: Array(ends.prefix(count)), hasMore: hasMore))
            }
            return (encoded: encoded, hasMore: hasMore)
        }
        let isHeard = holders.holder(of: session) == connection && !isWithheld(session)
        if !page.hasMore, isHeard { calls.sent(session, number: number) }
        return try page.encoded.get()
    }
}
