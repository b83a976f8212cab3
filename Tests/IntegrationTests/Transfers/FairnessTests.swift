// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `Everybody gets their turn` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        try daemon.startOnDemand()
    }

    private func submit(_ urls: [String], owner: String, names: String) throws -> [TransferID] {
        let specs = try urls.enumerated().map { index, url in
            TransferSpec(
                direction: .download(.init(path: daemon.path("\(names)\(index)"))),
                url: try RequestURL(url),
                owner: owner
            )
        }
        return try WireClient.greeted(daemon).send(SubmitTransfers(specs: specs)).ids
    }

    @Test func `two thousand transfers of one owner do not delay another's first byte`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        let file = FaultFile(random: 20_000, seed: 1)
        server.script("/slow", .file(file, rate: 40_000))
        server.script("/single", .file(file))
        let many = try submit([String](repeating: server.url("/slow"), count: 2000), owner: "greedy.app", names: "g")
        #expect(many.count == 2000)
        try server.waitForActive(6)
        let begun = TimeLimit.now
        let single = try submit([server.url("/single")], owner: "modest.app", names: "m")
        try server.waitForRequests("/single", count: 1, within: 10)
        // It gets the next free slot at this host; each takes half a second.
        #expect(TimeLimit.now - begun < 2)
        #expect(try daemon.wait(Int(single[0].rawValue)).isSuccess)
        #expect(server.requests("/slow").count < 100)
        let cancelled = try daemon.run("cancel", "--all", "--yes")
        #expect(cancelled.isSuccess, "\(cancelled.status) \(cancelled.output) \(cancelled.errors)")
    }

    @Test func `a host's limit is kept to and other hosts are not held back by it`() throws {
        let busy = try FaultServer()
        let free = try FaultServer()
        defer {
            busy.stop()
            free.stop()
        }
        let gate = FaultGate()
        busy.script("/held", .held(gate, then: .status(200)))
        free.script("/file", .status(200))
        let ids = try submit([String](repeating: busy.url("/held"), count: 30), owner: "command", names: "h")
        try busy.waitForActive(6)
        let other = try submit([free.url("/file")], owner: "command", names: "o")
        #expect(try daemon.wait(Int(other[0].rawValue)).isSuccess)
        #expect(busy.requests.count == 6)
        let waiting = try daemon.detail(Int(ids[29].rawValue)).row.reason
        #expect(
            {
                switch waiting.cause {
                case .hostLimit, .inLine: true
                default: false
                }
            }(),
            "\(waiting)"
        )
        gate.open()
        for id in ids { #expect(try daemon.wait(Int(id.rawValue)).isSuccess) }
        #expect(busy.mostActive == 6)
        #expect(busy.requests.count == 30)
    }

    @Test func `the number of transfers at a time is kept to in all`() throws {
        try daemon.killDaemon()
        try daemon.settings(#"{"maximumRunning": 3, "connectionsPerHost": 2}"#)
        try daemon.startOnDemand()
        let servers = try (0..<3).map { _ in try FaultServer() }
        defer { for server in servers { server.stop() } }
        let gate = FaultGate()
        for server in servers { server.script("/held", .held(gate, then: .status(200))) }
        var ids: [TransferID] = []
        for (index, server) in servers.enumerated() {
            ids += try submit([String](repeating: server.url("/held"), count: 4), owner: "command", names: "s\(index)-")
        }
        try eventually("three run") { servers.reduce(0) { $0 + $1.active } == 3 ? true : nil }
        gate.open()
        for id in ids { #expect(try daemon.wait(Int(id.rawValue)).isSuccess) }
        #expect(servers.allSatisfy { $0.mostActive <= 2 })
    }

    @Test func `a list of thousands is prompt and pages`() throws {
        let urls = [String](repeating: "http://127.0.0.1:9/nothing", count: 1000)
        for part in 0..<5 { _ = try submit(urls, owner: "app\(part)", names: "p\(part)-") }
        let begun = TimeLimit.now
        let page = try daemon.json("list", "--limit", "10")
        #expect(TimeLimit.now - begun < 1)
        #expect(page.transfers.array.count == 10)
        #expect(page.hasMore.bool == true)
        #expect(try daemon.run("pause", "--all", within: 20).isSuccess)
    }
}
