// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// The server that other tests rely on to cause exactly the requested faults.
struct FaultServerTests {
    private static let interim = "HTTP/1.1 104 Upload Resumption Supported\r\n\r\n"

    @Test func `a client that reads late receives what was sent before a reset`() throws {
        let server = try FaultServer()
        server.script(
            "/late",
            FaultAnswer {
                try $0.send(Self.interim)
                $0.reset()
            }
        )
        let client = try LoopbackSocket.connect(port: server.port)
        defer { close(client) }
        try LoopbackSocket.send(Array("PUT /late HTTP/1.1\r\nContent-Length: 5\r\n\r\n".utf8), to: client)
        try server.waitForRequests("/late", count: 1)
        // A reset would end this wait.
        var item = pollfd(fd: client, events: 0, revents: 0)
        #expect(poll(&item, 1, 200) == 0)
        let answer = try LoopbackSocket.receive(client, limit: TimeLimit(seconds: 20))
        #expect(answer.map { String(decoding: $0, as: UTF8.self) } == Self.interim)
        #expect(poll(&item, 1, 20_000) == 1 && item.revents & Int16(POLLERR) != 0)
    }
}
