// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageTransfers
import OffstageWork

/// The timeline: what the store has, what lasts now, and what the engines expect.
extension DaemonServer {
    func timeline(_ request: ReadTimeline) async throws -> ReadTimeline.Reply {
        let query = request.query
        guard query.from <= query.until else {
            throw WireFailure(.badRequest, "A timeline must begin before it ends.")
        }
        let page = try await store.timeline(query)
        var paths = page.paths
        var present: ReadTimeline.Present?
        // With the last page: what ends while the others are read is then on one of them.
        if page.next == nil {
            let transfers = await queue.timelinePresent(until: query.until)
            var lasting = store.chronicle.lasting()
            lasting += await tasks.runsUnderWay
            lasting += transfers.attempts
            paths.merge(transfers.paths) { _, present in present }
            present = ReadTimeline.Present(
                lasting: lasting.filter { Self.concerns($0, query) }.map { TimelineRow($0) },
                expected: transfers.expected.filter { Self.concerns($0.owner, host: $0.host, query) },
                hours: transfers.hours
            )
        }
        return ReadTimeline.Reply(
            now: now,
            rows: page.rows,
            files: paths.map { ReadTimeline.File(transfer: $0.key, path: $0.value) },
            next: page.next,
            present: present
        )
    }

    /// Whether something that lasts belongs to what was asked for.
    private static func concerns(_ span: TimelineSpan, _ query: TimelineQuery) -> Bool {
        guard span.began <= query.until, span.ended >= query.from else { return false }
        switch span.subject {
        case .network, .power, .daemon: return true
        case .attempt(let attempt): return concerns(attempt.owner, host: attempt.host, query)
        case .app(let app, _): return concerns(app, host: nil, query)
        case .run(let run): return concerns(run.app, host: nil, query)
        }
    }

    private static func concerns(_ owner: String, host: String?, _ query: TimelineQuery) -> Bool {
        if let app = query.app, app != owner { return false }
        guard let wanted = query.host else { return true }
        return host.map { TimelineQuery.matches(wanted, $0) } ?? false
    }
}
