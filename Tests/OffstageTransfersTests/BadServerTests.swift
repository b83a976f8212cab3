// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Servers that are absent, hang up, fall silent or send garbage.
struct BadServerTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 100_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private func failure(of answer: FaultAnswer, idleTimeout: Double = 60) throws -> TransferFailure? {
        server.script("/file", answer)
        return try harness.download(server.url("/file")) { $0.spec.idleTimeout = idleTimeout }.end().failure
    }

    @Test func `a closed port refuses the connection`() throws {
        let port = try FreePort.find()
        let failure = try harness.download("http://127.0.0.1:\(port)/file").end().failure
        #expect(failure?.code == .cannotConnect)
        #expect(failure?.detail == "cannot connect to 127.0.0.1:\(port): Connection refused")
    }

    @Test func `a host without an address is not found`() throws {
        let failure = try harness.download("http://no-such-host.invalid/file").end().failure
        #expect(failure?.code == .cannotFindHost)
        #expect(failure?.detail.contains("no-such-host.invalid") == true)
    }

    @Test func `a server that closes without an answer has lost the connection`() throws {
        #expect(try failure(of: .closes)?.code == .connectionLost)
    }

    @Test func `a server that resets has lost the connection`() throws {
        #expect(try failure(of: .resets)?.code == .connectionLost)
    }

    @Test func `a server that closes each connection at once has lost the connection`() throws {
        server.onAccept(.close)
        #expect(try harness.download(server.url("/file")).end().failure?.code == .connectionLost)
    }

    @Test func `a server that says nothing is given up after the idle timeout`() throws {
        let begun = TimeLimit.now
        let failure = try failure(of: .stalls, idleTimeout: 0.6)
        #expect(failure?.code == .idleTimeout)
        #expect(TimeLimit.now - begun >= 0.6)
        #expect(failure?.detail.contains("127.0.0.1:\(server.port)") == true)
    }

    @Test func `a server that falls silent within the body is given up, and the bytes count`() throws {
        server.script("/file", .stallsInBody(file, after: 60_000))
        let end = try harness.download(server.url("/file")) { $0.spec.idleTimeout = 0.6 }.end()
        #expect(end.failure?.code == .idleTimeout)
        #expect(end.reached == 60_000)
    }

    @Test func `a server that does not answer a finished upload is given up`() throws {
        server.script("/in", .stalls)
        let path = try harness.makeFile("source", bytes: 1000)
        let end = try harness.upload(path, to: server.url("/in")) { $0.spec.idleTimeout = 0.6 }.end()
        #expect(end.failure?.code == .idleTimeout)
    }

    @Test(arguments: [401, 409, 413], [40, 5000])
    func `an answer that is cut off by a reset is none to a dialect`(status: Int, sent: Int) throws {
        server.script(
            "/in",
            FaultAnswer {
                try $0.readBody(stopAt: 100_000)
                try $0.sendHead(status, [HeaderField(name: "Content-Length", value: "5000")])
                // When the connection breaks, the head has been read and the rest of the upload is not sent.
                try $0.sendBody([UInt8](repeating: 65, count: sent)[...])
                $0.reset()
            }
        )
        let path = try harness.makeFile("source", bytes: 8 << 20)
        let plain = try harness.upload(path, to: server.url("/in")).end()
        #expect(plain.answer?.status == status)
        let end = try harness.upload(path, to: server.url("/in")) {
            $0.spec.dialect = DialectSpec(name: "dropbox", parameters: "{}", destination: "dropbox:/a")
        }.end()
        if sent == 5000 || status == 413 {
            #expect(end.answer?.status == status)
        } else {
            #expect(end.failure?.code == .connectionLost)
        }
    }

    @Test func `slow is not silent`() throws {
        server.script("/file", .file(file, rate: 60_000))
        let end = try harness.download(server.url("/file")) { $0.spec.idleTimeout = 0.8 }.end()
        #expect(end.reached == 100_000)
    }

    @Test func `a connection that does not come about is given up after the connection's own timeout`() throws {
        // A port whose connection queue is full: the kernel lets further connections wait.
        let listener = try LoopbackSocket.listen(address: "127.0.0.1", port: 0, backlog: 0)
        defer { close(listener) }
        let port = try LoopbackSocket.port(of: listener)
        let first = try LoopbackSocket.connect(port: port)
        defer { close(first) }
        let run = try harness.download("http://127.0.0.1:\(port)/file") { $0.spec.connectTimeout = 0.4 }
        let failure = try run.end().failure
        #expect(failure?.code == .idleTimeout)
        #expect(failure?.detail == "no connection to 127.0.0.1:\(port) within 0.4 s")
    }

    @Test func `garbage in place of an answer is no valid HTTP`() throws {
        #expect(try failure(of: .garbage)?.code == .badServerResponse)
    }

    @Test func `garbage in place of a connection is no valid HTTP`() throws {
        server.onAccept(.garbage)
        #expect(try harness.download(server.url("/file")).end().failure?.code == .badServerResponse)
    }

    @Test func `headers without end are cut off`() throws {
        let failure = try failure(of: .endlessHeaders)
        #expect(failure?.code == .badServerResponse)
        #expect(failure?.detail.contains("endless headers") == true)
    }

    @Test func `a header line without end is cut off`() throws {
        let answer = FaultAnswer { exchange in
            try exchange.send("HTTP/1.1 200 OK\r\nX-Filler: ")
            while true { try exchange.send([UInt8](repeating: 0x61, count: 10_000)) }
        }
        let failure = try failure(of: answer)
        #expect(failure?.code == .badServerResponse, "\(String(describing: failure))")
    }

    @Test func `interim responses without end are cut off`() throws {
        let answer = FaultAnswer { exchange in
            let hints = "HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "a", count: 5000))\r\n\r\n"
            while true { try exchange.send(hints) }
        }
        let failure = try failure(of: answer)
        #expect(failure?.code == .badServerResponse, "\(String(describing: failure))")
    }

    @Test(arguments: ["banana", "-5", "99999999999999999999999"])
    func `a length that is no number is no valid HTTP`(length: String) throws {
        let answer = FaultAnswer { exchange in
            try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello")
            exchange.close()
        }
        let code = try failure(of: answer)?.code
        #expect(code == .badServerResponse || code == .serverMisbehaves, "\(String(describing: code))")
    }

    @Test func `a body shorter than stated is not success`() throws {
        server.script("/file", .liesAboutLength(file, stated: 100_001))
        let end = try harness.download(server.url("/file")).end()
        #expect(end.failure?.code == .connectionLost)
        #expect(end.reached == 100_000)
    }

    @Test func `a body longer than stated is cut where it was to end`() throws {
        server.script("/file", .liesAboutLength(file, stated: 99_999))
        let run = try harness.download(server.url("/file"))
        #expect(try run.end().reached == 99_999)
        #expect(try run.content() == Array(file.bytes[..<99_999]))
    }

    @Test func `a chunked body that breaks off is not success`() throws {
        let answer = FaultAnswer { exchange in
            try exchange.sendHead(200, [HeaderField(name: "Transfer-Encoding", value: "chunked")])
            try exchange.send("5\r\nhello\r\n")
            exchange.close()
        }
        #expect(try failure(of: answer)?.code == .connectionLost)
    }

    @Test func `chunks that are none are no valid HTTP`() throws {
        let answer = FaultAnswer { exchange in
            try exchange.sendHead(200, [HeaderField(name: "Transfer-Encoding", value: "chunked")])
            try exchange.send("zebra\r\nhello\r\n")
            exchange.close()
        }
        #expect(try failure(of: answer)?.code == .serverMisbehaves)
    }

    @Test func `an error whose text breaks off is no answer`() throws {
        server.script(
            "/file",
            FaultAnswer { exchange in
                try exchange.sendHead(404, [HeaderField(name: "Content-Length", value: "1000")])
                try exchange.send("no such")
                exchange.close()
            }
        )
        let run = try harness.download(server.url("/file")) { $0.spec.statusPolicy = .retryTransientAndFailOnError }
        #expect(try run.end().failure?.code == .connectionLost)
    }
}
