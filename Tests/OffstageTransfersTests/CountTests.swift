// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// A list's counts match its rows.
@Suite struct CountTests {
    @Test func `a change that the store has not got yet is counted`() async throws {
        let server = try FaultServer()
        let harness = try QueueHarness(commitDelay: 0.5)
        server.script("/slow", .file(FaultFile(random: 1_000_000, seed: 1), rate: 50_000))
        let id = try await harness.download(server.url("/slow"), task: 1)
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        async let pause: Void = harness.queue.pause(id)
        for _ in 0..<100_000 where await harness.queue.snapshots([id]).first?.transfer.state.kind == .running {}
        let page = try await harness.queue.page(TransferQuery())
        let kinds = page.snapshots.map(\.transfer.state.kind)
        #expect(kinds == [.paused])
        #expect(page.counts.filter { $0.value > 0 } == [.paused: 1])
        try await pause
        try await harness.queue.cancel(id)
    }
}
