// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageStore

extension DaemonServer {
    /// The daemon's figures. Every count is already kept, so the cost does not grow with the number of records.
    func metrics() async throws -> DaemonMetrics {
        let page = try await queue.page(TransferQuery(limit: 1))
        let storeNotice = await queue.storeNotice
        let standings = await queue.standings
        let counts = await tasks.counts
        var work = Tally<TaskStanding>()
        work.add(.running, counts.running)
        work.add(.pending, counts.pending)
        let store = store
        let (sizes, resident) = await workers.run { (store.sizes, ProcessFigures.residentBytes) }
        let sentences = await [information.notices(), sessions.notices, storeNotice.map { [$0] } ?? []]
        return DaemonMetrics(
            version: .current,
            startedAt: information.startedAt,
            process: .init(processorTime: ProcessFigures.processorTime, residentBytes: resident),
            connections: connections.count,
            notices: sentences.joined().count,
            transfers: await queue.metrics,
            standings: standings.all,
            line: standings.line,
            store: .init(
                commits: store.commits,
                bytes: sizes.store,
                logBytes: sizes.log,
                finished: page.counts[.finished] ?? 0,
                isFailing: storeNotice != nil
            ),
            apps: await apps.states,
            tasks: work,
            accounts: try await accounts.standings()
        )
    }
}
