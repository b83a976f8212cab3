// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// User and password, and servers that require different ones.
struct AuthenticationTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 50_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    /// Requires digest authentication (RFC 7616), and accepts any digest.
    private func wantsDigest(then answer: @escaping @Sendable (FaultExchange) throws -> Void) -> FaultAnswer {
        FaultAnswer { exchange in
            if exchange.request.headers["Authorization"]?.hasPrefix("Digest ") == true { return try answer(exchange) }
            try exchange.readBody()
            let challenge = #"Digest realm="test", qop="auth", algorithm=SHA-256, nonce="abc", opaque="def""#
            let header = HeaderField(name: "WWW-Authenticate", value: challenge)
            try exchange.respond(401, [header], body: Array("who are you?".utf8))
        }
    }

    @Test func `the password goes along at once`() throws {
        let nginx = try NginxServer(.init(login: "ann:pass word"))
        try TestFiles.write(file.bytes, to: nginx.path("file"))
        let run = try harness.download(nginx.url("file")) {
            $0.spec.credentials = .init(user: "ann", password: "pass word")
        }
        #expect(try run.end().answer?.status == 200)
        #expect(try nginx.waitForEntries("/file", count: 1).count == 1)
    }

    @Test func `a wrong password is a 401`() throws {
        let nginx = try NginxServer(.init(login: "ann:right"))
        try TestFiles.write(file.bytes, to: nginx.path("file"))
        let run = try harness.download(nginx.url("file")) {
            $0.spec.credentials = .init(user: "ann", password: "wrong")
        }
        #expect(try run.end().answer?.status == 401)
    }

    @Test func `the next transfer on the same connection does not inherit the password`() throws {
        server.script("/file", .file(file))
        _ = try harness.download(server.url("/file")) { $0.spec.credentials = .init(user: "a", password: "b") }.end()
        _ = try harness.download(server.url("/file")).end()
        #expect(server.connections == 1)
        #expect(server.requests.map { $0.headers["Authorization"] != nil } == [true, false])
    }

    @Test func `a download from a server that wants a digest gets one`() throws {
        let file = file
        server.script(
            "/file",
            wantsDigest { exchange in
                try exchange.respond(200, file.validators, body: file.bytes)
            }
        )
        let run = try harness.download(server.url("/file")) {
            $0.spec.credentials = .init(user: "ann", password: "secret")
        }
        let end = try run.end()
        #expect(end.answer?.status == 200)
        #expect(try run.content() == file.bytes)
        #expect(run.events.count == 1)
        #expect(server.requests.last?.headers["Authorization"]?.contains("username=\"ann\"") == true)
    }

    @Test func `an upload to a server that wants a digest is sent whole`() throws {
        server.script(
            "/in",
            wantsDigest { exchange in
                try exchange.readBody()
                try exchange.respond(201)
            }
        )
        let path = try harness.makeFile("source", bytes: 50_000)
        let run = try harness.upload(path, to: server.url("/in")) {
            $0.spec.credentials = .init(user: "ann", password: "secret")
        }
        #expect(try run.end().answer?.status == 201)
        #expect(server.requests.last?.body == (try TestFiles.read(path)))
    }

    /// The body is sent from its beginning more than once, across all its files.
    @Test(arguments: ["POST", "PUT"])
    func `a form to a server that wants a digest is sent whole`(method: String) throws {
        server.script(
            "/in",
            wantsDigest { exchange in
                try exchange.readBody()
                try exchange.respond(201)
            }
        )
        let parts: [EngineHarness.FormPart] = [
            .file(bytes: 300_000), .field("a", "b"), .file(bytes: 0), .file(bytes: 9),
        ]
        let run = try harness.form(parts, to: server.url("/in")) {
            $0.spec.method = method
            $0.spec.credentials = .init(user: "ann", password: "secret")
        }
        let end = try run.end()
        #expect(end.answer?.status == 201)
        #expect(end.reached == run.request.body?.count)
        let last = try #require(server.requests.last)
        #expect(last.method == method)
        #expect(last.body == (try run.formBody()))
        #expect(
            server.requests.contains { $0.headers["Authorization"]?.hasPrefix("Basic ") == true && !$0.body.isEmpty }
        )
    }

    @Test func `a server that wants another digest each time gets no third`() throws {
        server.script(
            "/file",
            FaultAnswer { exchange in
                let challenge = HeaderField(name: "WWW-Authenticate", value: #"Digest realm="test", nonce="abc""#)
                try exchange.respond(401, [challenge])
            }
        )
        let run = try harness.download(server.url("/file")) {
            $0.spec.credentials = .init(user: "ann", password: "secret")
        }
        #expect(try run.end().answer?.status == 401)
        #expect(server.requests.count <= 3)
    }

    @Test func `without a password a challenge is an answer`() throws {
        server.script("/file", .protected("Bearer right", then: .file(file)))
        let first = try harness.download(server.url("/file")) {
            $0.spec.headers = [HeaderField(name: "Authorization", value: "Bearer wrong")]
        }
        #expect(try first.end().answer?.status == 401)
        let second = try harness.download(server.url("/file")) {
            $0.spec.headers = [HeaderField(name: "Authorization", value: "Bearer right")]
        }
        #expect(try second.end().answer?.status == 200)
    }

    @Test func `user and password of the URL are used and not repeated in the answer`() throws {
        server.script("/file", .file(file))
        let url = "http://ann:secret@127.0.0.1:\(server.port)/file"
        let end = try harness.download(url).end()
        #expect(end.answer?.finalURL == server.url("/file"))
        #expect(server.requests[0].headers["Authorization"] == "Basic YW5uOnNlY3JldA==")
    }
}
