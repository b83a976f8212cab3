// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Two downloads that would both be given one name.
@Suite struct SameTargetTests {
    @Test(arguments: [true, false])
    func `a download to a target that another is fetching is refused before it costs anything`(
        overwrites: Bool
    ) async throws {
        let server = try FaultServer()
        let harness = try QueueHarness()
        let file = FaultFile(random: 1_000_000, seed: 1)
        server.script("/slow", .file(file, rate: 50_000))
        server.script("/other", .file(file))
        let path = harness.directory.path("one")
        let change = { (spec: inout TransferSpec) in
            spec.direction = .download(.init(path: path, overwrites: overwrites))
        }
        let first = try await harness.download(server.url("/slow"), task: 1, change)
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        let second = try harness.end(of: try await harness.download(server.url("/other"), task: 2, change))
        guard case .failed(let failure, _)? = second.outcome else {
            Issue.record("The second download was let in: \(second.state)")
            return
        }
        #expect(failure.code == .targetExists)
        #expect(failure.detail == "transfer \(first) is fetching \(path) already")
        #expect(server.requests("/other").isEmpty)
        #expect(await harness.queue.snapshots([first]).first?.transfer.state.kind == .running)
        try await harness.queue.cancel(first)
        _ = try harness.end(of: first)
        let names = TestFiles.names(in: harness.directory.path).filter { $0.hasSuffix(".part") }
        #expect(names.isEmpty)
    }
}
