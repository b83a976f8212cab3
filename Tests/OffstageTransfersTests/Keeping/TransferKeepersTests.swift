// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

@Suite struct TransferKeepersTests {
    private static let fleet = "5e4b8c0a-6a57-4b0e-8a35-0d1f0a7a9f11"

    /// The orders that each connection has received.
    private let orders = Monitor<[UInt64: [MemoryToKeep]]>([:])

    private func attach(_ connection: UInt64, to queue: isolated TransferQueue) {
        queue.attachKeeper(of: Self.fleet, connection) { [orders] order in
            orders.withLock { $0[connection, default: []].append(order) }
        }
    }

    private func order(of connection: UInt64) throws -> MemoryToKeep {
        let found = orders.wait(TimeLimit(seconds: 20)) { $0[connection]?.first }
        return try #require(found, "nothing was asked of connection \(connection)")
    }

    @Test func `a keeper that comes while a refusal is being committed is asked, too`() async throws {
        let server = try FaultServer()
        server.script("/a", .status(201))
        // Each commit takes long enough for a keeper to appear in the meantime.
        let harness = try QueueHarness(commitDelay: 0.2)
        harness.onLoop { attach(1, to: $0) }
        let path = harness.directory.path("a")
        try TestFiles.write("content", to: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
        var spec = TransferSpec(direction: .upload(source), url: try RequestURL(server.url("/a")), owner: "command")
        spec.keeper = TransferKeeper(fleet: Self.fleet, row: 7, fence: 1)
        let id = try #require(try await harness.queue.submit([spec]).first)
        let first = try order(of: 1)
        try await harness.queue.keeperAnswered([(number: first.number, isKept: false)], 1)
        let limit = TimeLimit(seconds: 20)
        while try await !isRefused(id, harness.queue), !limit.isOver { await Task.yield() }
        harness.onLoop { attach(2, to: $0) }
        let second = try order(of: 2)
        #expect(second.id == id)
        try await harness.queue.keeperAnswered([(number: second.number, isKept: true)], 2)
        try server.waitForRequests("/a", count: 1)
    }

    private func isRefused(_ id: TransferID, _ queue: TransferQueue) async throws -> Bool {
        guard case .waiting(let wait)? = await queue.snapshots([id]).first?.transfer.state else { return false }
        return wait.cause == .keeper(isRefused: true)
    }
}
