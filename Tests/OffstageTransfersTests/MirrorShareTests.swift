// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Downloads from several addresses that have one of them in common.
@Suite struct MirrorShareTests {
    private static let file = FaultFile(random: 8_000_000, seed: 3)

    private static func spec(_ path: String, _ urls: String...) throws -> TransferSpec {
        let urls = try urls.map { try RequestURL($0) }
        let checksum = try Checksum(parsing: "sha256:" + TestFiles.sha256(of: file.bytes))
        let target = TransferSpec.DownloadTarget(path: path, checksum: checksum)
        var spec = TransferSpec(direction: .download(target), url: urls[0], owner: "command")
        spec.statusPolicy = .retryTransientAndFailOnError
        spec.mirrors = MirrorList(urls)
        spec.connection = ConnectionOptions()
        spec.connection?.connections = 4
        return spec
    }

    @Test func `those that begin together open no more connections to a mirror than one host gets`() async throws {
        let servers = try (0..<2).map { _ in try FaultServer() }
        let (shared, gate) = (try FaultServer(), FaultGate())
        for server in servers { server.script("/file", .file(Self.file, rate: 3_000_000)) }
        shared.script("/file", .file(Self.file, holdingAfter: 100_000, until: gate))
        var settings = Settings()
        settings.connectionsPerHost = 2
        let harness = try QueueHarness(settings: settings)
        let specs = try servers.enumerated().map { index, server in
            try Self.spec(harness.directory.path("file-\(index)"), server.url("/file"), shared.url("/file"))
        }
        _ = try await harness.queue.submit(specs)
        // By then each download has finished several requests to its own server, and chosen servers for the next ones.
        for server in servers { try server.waitForBodyBytes("/file", 7_000_000) }
        #expect((1...2).contains(shared.requests.count), "\(shared.requests.count)")
        gate.open()
        for index in servers.indices {
            let path = harness.directory.path("file-\(index)")
            try eventually("the file is there") { TestFiles.exists(path) ? true : nil }
            #expect(try TestFiles.read(path) == Self.file.bytes)
        }
    }
}
