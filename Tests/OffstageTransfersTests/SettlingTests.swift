// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Attempts that have ended while the store is slow.
@Suite struct SettlingTests {
    @Test func `no more is begun than the store keeps up with`() async throws {
        let server = try FaultServer()
        var settings = Settings()
        settings.maximumRunning = 8
        settings.connectionsPerHost = 8
        // Without a bound, all of them would be fetched before the second commit is done.
        let most = Monitor(0)
        // Counted on the loop, which starts all transfers: between two checks on another thread, many could have begun.
        let harness = try QueueHarness(
            settings: settings,
            commitDelay: 0.25,
            whenEnded: { ended in
                let underWay = server.requests("/small").count - (ended - 1)
                most.withLock { $0 = max($0, underWay) }
            }
        )
        let count = 200
        server.script("/small", .file(FaultFile(random: 100, seed: 1)))
        var specs: [TransferSpec] = []
        for number in 0..<count {
            let target = TransferSpec.DownloadTarget(path: harness.directory.path("file-\(number)"))
            var spec = TransferSpec(
                direction: .download(target),
                url: try RequestURL(server.url("/small")),
                owner: "app"
            )
            spec.sessionTask = SessionTaskKey(session: "s", task: number)
            specs.append(spec)
        }
        let ids = try await harness.queue.submit(specs)
        for id in ids { #expect(try harness.end(of: id).outcome?.isSuccess == true) }
        // The running attempts, and those being settled.
        let bound = 8 + TransferQueue.settlingLimit + 8
        #expect(most.withLock { $0 } <= bound)
    }
}
