// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A peer that misbehaves harms nobody else` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        try daemon.startOnDemand()
    }

    /// Expects that another process is answered promptly.
    private func expectPrompt(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let begun = TimeLimit.now
        let result = try daemon.run("list", "--no-start", within: 10)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        // Generous, for a debug build on a busy machine.
        #expect(TimeLimit.now - begun < 5, sourceLocation: sourceLocation)
    }

    @Test func `garbage is answered by hanging up`() throws {
        let bystander = try Bystander(daemon)
        var generator = SeededGenerator(seed: 1)
        for count in [1, 4, 5, 100, 100_000] {
            let client = try WireClient(daemon)
            try? client.write([0xFF, 0xFF] + generator.bytes(count))
            if count >= 4 { #expect(try client.waitForHangUp()) }
        }
        let web = try WireClient(daemon)
        try web.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(try web.waitForHangUp())
        try expectPrompt()
        try bystander.expectArrival()
    }

    @Test func `half a frame waits and costs nothing`() throws {
        let clients = try (0..<50).map { _ in try WireClient(daemon) }
        let late = clients[0]
        let greeting = try late.frame(Hello(client: "half")).encoded()
        for client in clients { try client.write(Array(greeting.prefix(greeting.count / 2))) }
        try expectPrompt()
        for byte in greeting.dropFirst(greeting.count / 2) { try late.write([byte]) }
        let answer = try late.nextFrame(TimeLimit(seconds: 10))
        #expect(answer?.kind == .reply)
    }

    @Test func `an endless frame ends at its length`() throws {
        let client = try WireClient(daemon)
        try client.write([0x7F, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 1, 0])
        #expect(try client.waitForHangUp())
        let large = try WireClient.greeted(daemon)
        // Within the limits, but not a known request: refused, and the connection stays open.
        try large.write(
            WireFrame(kind: .request, exchange: 77, name: "nonsense", payload: [UInt8](repeating: 0x20, count: 3 << 20))
                .encoded()
        )
        #expect(try large.nextFrame(TimeLimit(seconds: 10))?.kind == .failure)
        #expect(try large.send(ListTransfers(query: TransferQuery())).rows.isEmpty)
        try expectPrompt()
    }

    @Test func `requests that make no sense are refused one by one`() throws {
        let client = try WireClient.greeted(daemon)
        func refusal(_ name: String, _ payload: String) throws -> WireFailure {
            try client.write(
                WireFrame(kind: .request, exchange: 900, name: name, payload: Array(payload.utf8)).encoded()
            )
            let frame = try #require(try client.nextFrame(TimeLimit(seconds: 10)))
            #expect(frame.kind == .failure)
            return try WireCoding.decode(WireFailure.self, from: frame.payload)
        }
        for (name, payload) in [
            ("submit", "{"), ("submit", "[]"), ("submit", #"{"specs": 5}"#), ("list", "\u{0}"), ("act", "{}"),
            ("", "{}"),
            ("limit", #"{"bytesPerSecond": -5}"#),
        ] {
            #expect(try refusal(name, payload).code == .badRequest, "\(name) \(payload)")
        }
        try client.write(WireFrame(kind: .reply, exchange: 1, payload: []).encoded())
        #expect(try client.nextFrame(TimeLimit(seconds: 10))?.kind == .failure)
        try expectPrompt()
    }

    @Test func `a request before the greeting and a wrong version are told clearly`() throws {
        let silent = try WireClient(daemon)
        #expect(throws: WireFailure.self) { _ = try silent.send(GetStatus()) }
        let future = try WireClient(daemon)
        let refusal = #expect(throws: WireFailure.self) {
            _ = try future.send(Hello(protocolVersion: 4711, client: "tests"))
            _ = try future.send(GetStatus())
        }
        #expect(refusal?.code == .incompatible)
        #expect(refusal?.message.hasSuffix(".") == true)
        try expectPrompt()
    }

    @Test func `hello is said once, and the connection lives on`() throws {
        let client = try WireClient.greeted(daemon)
        let refusal = #expect(throws: WireFailure.self) { _ = try client.send(Hello(client: "tests")) }
        #expect(refusal?.code == .badRequest)
        #expect(try client.send(ListTransfers(query: TransferQuery())).rows.isEmpty)
    }

    @Test func `what a peer asked for just before it hung up is done`() throws {
        let client = try WireClient(daemon)
        let limit = try client.frame(SetRateLimit(id: nil, bytesPerSecond: 4711))
        try client.write(client.frame(Hello(client: "tests")).encoded() + limit.encoded())
        client.hangUp()
        let other = try WireClient.greeted(daemon)
        try eventually("that the limit is set") { try other.send(GetStatus()).rateLimit == 4711 ? true : nil }
    }

    @Test func `a peer that never reads its answers is not waited for`() throws {
        for _ in 0..<20 {
            _ = try daemon.submit("download", "http://127.0.0.1:9/x", "-o", "x\(Int.random(in: 0..<1 << 60))")
        }
        let deaf = try WireClient.greeted(daemon)
        let question = try deaf.frame(ListTransfers(query: TransferQuery(limit: 1000))).encoded()
        let watch = try deaf.frame(WatchTransfers(ids: nil)).encoded()
        try deaf.write(watch)
        // Writes until the daemon stops reading or hangs up; a blocking write would block this thread for good.
        let asking = Monitor(0)
        try TestThread.start {
            while (try? deaf.write(question)) != nil,
                asking.withLock({
                    $0 += 1; return $0
                }) < 20_000
            {}
        }
        _ = asking.wait(TimeLimit(seconds: 2)) { $0 >= 20_000 ? true : nil }
        try expectPrompt()
        let process = try daemon.daemon().processID
        let status = try TestFiles.text("/proc/\(process)/status")
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }?.split(separator: " ")[1]
        #expect((resident.flatMap { Int($0) } ?? .max) < 150_000, "KiB resident: \(resident ?? "?")")
        deaf.hangUp()
    }

    @Test func `thousands of connections leave room for one more`() throws {
        let limit = offstage_test_raise_file_limit()
        let count = min(3000, limit - 200)
        var clients: [WireClient] = []
        for _ in 0..<count {
            guard let client = try? WireClient(daemon) else { break }
            clients.append(client)
        }
        #expect(clients.count > 500)
        try expectPrompt()
        for client in clients.prefix(100) { try? client.write([0, 0]) }
        try expectPrompt()
        clients = []
        try expectPrompt()
    }

    @Test func `connections that come and go leave nothing behind`() throws {
        let process = try daemon.daemon().processID
        func descriptors() -> Int { TestFiles.names(in: "/proc/\(process)/fd").count }
        try expectPrompt()
        let before = descriptors()
        for _ in 0..<500 { _ = try WireClient.greeted(daemon) }
        try eventually("the descriptors are closed") { descriptors() <= before + 2 ? true : nil }
    }
}
