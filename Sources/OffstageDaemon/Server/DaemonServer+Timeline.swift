// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageTransfers
import OffstageWork

/// The timeline: the store's spans, the ones that have not ended, and those that the engines expect.
extension DaemonServer {
    func timeline(_ request: ReadTimeline) async throws -> ReadTimeline.Reply {
        let query = request.query
        guard query.from <= query.until else {
            throw WireFailure(.badRequest, "A timeline must begin before it ends.")
        }
        let page = try await store.timeline(query)
        var paths = page.paths
        var present: ReadTimeline.Present?
        // Only with the last page: spans that end while the earlier pages are read then appear on one of them.
        if page.next == nil {
            let transfers = await queue.timelinePresent(until: query.until)
            var lasting = store.chronicle.lasting()
            lasting += await tasks.runsUnderWay
            lasting += transfers.attempts
            paths.merge(transfers.paths) { _, present in present }
            present = ReadTimeline.Present(
                lasting: lasting.filter(query.concerns).map { TimelineRow($0) },
                expected: transfers.expected.filter { query.concerns($0.owner, host: $0.host) },
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
}
