// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Downloads that come from several addresses, and have one of them in common.
@Suite struct MirrorShareTests {
    private static let file = FaultFile(random: 8_000_000, seed: 3)

    private static func submit(_ name: String, _ urls: [String], to harness: QueueHarness) async throws {
        let urls = try urls.map { try RequestURL($0) }
        let checksum = try Checksum(parsing: "sha256:" + TestFiles.sha256(of: file.bytes))
        let target = TransferSpec.DownloadTarget(path: harness.directory.path(name), checksum: checksum)
        var spec = TransferSpec(direction: .download(target), url: urls[0], owner: "command")
        spec.statusPolicy = .retryTransientAndFailOnError
        spec.mirrors = MirrorList(urls)
        spec.connection = ConnectionOptions()
        spec.connection?.connections = 4
        _ = try await harness.queue.submit([spec])
    }

    @Test func `those that begin together open no more connections to a mirror than one host gets`() async throws {
        let servers = try (0..<2).map { _ in try FaultServer() }
        let (shared, gate) = (try FaultServer(), FaultGate())
        for server in servers { server.script("/file", .file(Self.file, rate: 3_000_000)) }
        shared.script("/file", .file(Self.file, holdingAfter: 100_000, until: gate))
        var settings = Settings()
        settings.connectionsPerHost = 2
        let harness = try QueueHarness(settings: settings)
        for (index, server) in servers.enumerated() {
            try await Self.submit("file-\(index)", [server.url("/file"), shared.url("/file")], to: harness)
        }
        for server in servers { try server.waitForBodyBytes("/file", 5_000_000) }
        // Each has ended several requests to its own server by now, and chosen where the next one goes.
        #expect((1...2).contains(shared.requests.count), "\(shared.requests.count)")
        gate.open()
        for index in servers.indices {
            let path = harness.directory.path("file-\(index)")
            try eventually("the file is there") { TestFiles.exists(path) ? true : nil }
            #expect(try TestFiles.read(path) == Self.file.bytes)
        }
    }
}
