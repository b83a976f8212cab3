// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageProtocol
import OffstageRuntime
import OffstageStore

extension DaemonServer {
    /// The daemon's figures. Every count is kept already: none of them costs more because more is on record.
    func metrics() async throws -> DaemonMetrics {
        let page = try await queue.page(TransferQuery(limit: 1))
        let storeNotice = await queue.storeNotice
        let standings = await queue.standings
        let running = await tasks.counts.running
        let pending = await tasks.counts.pending
        var work = Tally<TaskStanding>()
        work.add(.running, running)
        work.add(.pending, pending)
        let store = store
        let (sizes, resident) = await workers.run { (store.sizes, Self.residentBytes()) }
        let sentences = await [information.notices(), sessions.notices, storeNotice.map { [$0] } ?? []]
        return DaemonMetrics(
            version: .current,
            startedAt: information.startedAt,
            process: .init(processorTime: Self.processorTime(), residentBytes: resident),
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

    /// Seconds that this process has used a processor.
    private nonisolated static func processorTime() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Bytes of this process's memory that are in RAM (proc_pid_statm(5)); 0 if that cannot be read.
    private nonisolated static func residentBytes() -> Int64 {
        let text = SmallFile.read("/proc/self/statm", limit: 4096).map { String(decoding: $0, as: UTF8.self) }
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int64(digits: $0) }
        return min(max(0, pages ?? 0), 1 << 40) * Int64(getpagesize())  // checked: a limited number of pages
    }
}
