// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite(.serialized, .enabled(if: Privileges.canMakeNetworks, "needs root and iproute2 to make network namespaces"))
struct `When the network goes and comes back` {
    private let link: VirtualLink
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let file = FaultFile(random: 2_000_000, seed: 31)

    init() throws {
        link = try VirtualLink()
        server = try FaultServer(address: link.farAddress, namespace: link.farPath)
        // Retries alone would not be in time: an immediate resumption is due to the kernel's notification.
        daemon = try DaemonFixture(
            settings: #"{"retryBaseDelay": 30, "retryMaximumDelay": 60}"#,
            prefix: link.nearPrefix
        )
    }

    /// Waits until a transfer waits for the network.
    private func watchForNetwork(_ id: Int) throws {
        try daemon.watch(id, for: "waiting for network") {
            if case .network = $0.reason.cause { true } else { false }
        }
    }

    private func expectWaiting(_ id: Int) throws {
        let why = try daemon.run("why", "\(id)")
        #expect(why.output.contains("waiting for network"), "\(why)")
        #expect(try daemon.show(id).reason.code.string == "network")
    }

    @Test(arguments: [true, false])
    func `a running download waits without attempts and goes on within a second`(isOwnEnd: Bool) throws {
        server.script("/file", .stallsInBody(file, after: 500_000), .file(file))
        let id = try daemon.submit("download", server.url("/file"))
        try daemon.watchBytes(id, atLeast: 500_000)
        let before = server.connections
        let attempts = try daemon.detail(id).row.attempts
        isOwnEnd ? try link.setUp(false) : try link.setCarrier(false)
        try watchForNetwork(id)
        try expectWaiting(id)
        // Transfers that are handed over now wait as well, without an attempt.
        let second = try daemon.submit("download", server.url("/file"), "-o", "second")
        try watchForNetwork(second)
        #expect(try daemon.detail(second).row.attempts == 0)
        #expect(try daemon.detail(id).row.attempts == attempts)
        #expect(server.connections == before, "no attempt while it is down")

        let up = TimeLimit.now
        isOwnEnd ? try link.setUp(true) : try link.setCarrier(true)
        let requests = try server.waitForRequests("/file", count: 2, within: 20)
        let next = try #require(requests.dropFirst().first)
        #expect(next.receivedAt - up < 1, "it took \(next.receivedAt - up) s")
        #expect(try daemon.wait(id, second).isSuccess)
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(try TestFiles.read(daemon.path("second")) == file.bytes)
        #expect(server.requests.contains { $0.rangeStart == 500_000 }, "\(server.requests.map(\.rangeStart))")
        #expect(try daemon.detail(id).retries == 0, "the loss of the network is no failure")
    }

    @Test func `an upload waits as well and begins again`() throws {
        server.script("/up", .readsSlowly(500_000), .status(201))
        let file = try daemon.makeFile("file", bytes: 2_000_000)
        let id = try daemon.submit("upload", "file", server.url("/up"))
        try daemon.watchBytes(id, atLeast: 200_000)
        try link.setUp(false)
        try watchForNetwork(id)
        try link.setUp(true)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.sha256(of: server.requests("/up")[1].body) == file.sha256)
    }

    @Test func `a daemon that starts without a network waits for one`() throws {
        server.script("/file", .file(file))
        try link.setUp(false)
        let id = try daemon.submit("download", server.url("/file"))
        try watchForNetwork(id)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try watchForNetwork(id)
        #expect(try daemon.detail(id).row.attempts == 0)
        let up = TimeLimit.now
        try link.setUp(true)
        let request = try server.waitForRequests("/file", count: 1)[0]
        #expect(request.receivedAt - up < 1, "it took \(request.receivedAt - up) s")
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test func `an address with no route waits and the loopback goes on`() throws {
        let id = try daemon.submit("download", "http://192.0.2.7/file", "-o", "far")
        try watchForNetwork(id)
        #expect(try daemon.detail(id).row.attempts == 0)
        try VirtualLink.ip("-n", link.near, "route", "add", "default", "via", link.farAddress)
        try daemon.watch(id, for: "an attempt") { $0.kind == .running }
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        try link.setUp(false)
        let local = try FaultServer(namespace: "/run/netns/\(link.near)")
        defer { local.stop() }
        local.script("/file", .status(200, body: "near"))
        #expect(try daemon.run("download", local.url("/file"), "-o", "near").isSuccess)
    }
}
