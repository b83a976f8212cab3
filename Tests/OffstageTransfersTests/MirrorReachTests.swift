// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Addresses of a file that cannot be reached from this machine.
@Suite struct MirrorReachTests {
    private static func submit(_ urls: [String], to harness: QueueHarness) async throws -> TransferID {
        let urls = try urls.map { try RequestURL($0) }
        let target = TransferSpec.DownloadTarget(path: harness.directory.path("file"))
        var spec = TransferSpec(direction: .download(target), url: urls[0], owner: "command")
        spec.statusPolicy = .retryTransientAndFailOnError
        spec.mirrors = MirrorList(urls)
        return try #require(try await harness.queue.submit([spec]).first)
    }

    @Test func `a file comes from the address that there is a route to`() async throws {
        let server = try FaultServer()
        let file = FaultFile(random: 100_000, seed: 1)
        server.script("/file", .file(file))
        let harness = try QueueHarness(surroundings: {
            $0.networkProblem = { $0.hasPrefix("127.") ? nil : .noRoute }
        })
        let urls = ["http://[2001:db8::1]/file", "http://192.0.2.1/file", server.url("/file")]
        let id = try await Self.submit(urls, to: harness)
        try eventually("the file is there") { TestFiles.exists(harness.directory.path("file")) ? true : nil }
        #expect(try TestFiles.read(harness.directory.path("file")) == file.bytes)
        let transfer = await harness.queue.snapshots([id]).first?.transfer
        let troubles = transfer?.spec.mirrors?.addresses.map { $0.trouble?.failure.detail }
        #expect(troubles == ["cannot connect to [2001:db8::1]:80: there is no route to the host", nil, nil])
    }

    @Test func `one that was in line at a restart goes around an address without a route, too`() async throws {
        let server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
        let folder = try TemporaryDirectory()
        let urls = ["http://192.0.2.1/file", server.url("/file")]
        func leaveInLine() async throws {
            let harness = try QueueHarness(in: folder, surroundings: { $0.networkProblem = { _ in .noRoute } })
            _ = try await Self.submit(urls, to: harness)
        }
        try await leaveInLine()
        let harness = try QueueHarness(
            in: folder,
            surroundings: { $0.networkProblem = { $0.hasPrefix("127.") ? nil : .noRoute } }
        )
        try eventually("the file is there") { TestFiles.exists(harness.directory.path("file")) ? true : nil }
    }

    @Test func `only if there is a route to none, the network is waited for`() async throws {
        let isBack = Monitor(false)
        let server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
        let harness = try QueueHarness(surroundings: {
            $0.networkProblem = { host in isBack.withLock { $0 && host.hasPrefix("127.") } ? nil : .noRoute }
        })
        let id = try await Self.submit(["http://192.0.2.1/file", server.url("/file")], to: harness)
        let waiting = await harness.queue.snapshots([id]).first
        #expect(waiting?.reason.cause == .network(.noRoute))
        #expect(waiting?.transfer.spec.mirrors?.isUntried == true)
        isBack.withLock { $0 = true }
        harness.onLoop { $0.networkChanged() }
        try eventually("the file is there") { TestFiles.exists(harness.directory.path("file")) ? true : nil }
    }
}
