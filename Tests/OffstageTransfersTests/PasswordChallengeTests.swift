// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Servers that require a name and a password, where an app decides.
struct PasswordChallengeTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 50_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private static let digest = #"Digest realm="test", qop="auth", algorithm=SHA-256, nonce="abc", opaque="def""#

    /// 401 with these offers until the request uses a scheme with this prefix.
    private func wants(
        _ offers: [String],
        scheme: String,
        then answer: FaultAnswer
    ) -> FaultAnswer {
        FaultAnswer { exchange in
            if exchange.request.headers["Authorization"]?.hasPrefix(scheme) == true { return try answer.run(exchange) }
            try exchange.readBody()
            let fields = offers.map { HeaderField(name: "WWW-Authenticate", value: $0) }
            try exchange.respond(401, fields, body: [UInt8](repeating: 65, count: 2_000_000))
        }
    }

    private func download(
        _ url: String,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun {
        try harness.download(url) {
            EngineHarness.ofSession(&$0)
            change(&$0)
        }
    }

    @Test func `a server with a password asks, and asks again while it is wrong`() throws {
        let nginx = try NginxServer(.init(login: "ann:pass word"))
        try TestFiles.write(file.bytes, to: nginx.path("file"))
        let run = try download(nginx.url("file"))
        let expected = Challenge(
            method: .httpBasic,
            host: "127.0.0.1",
            port: Int(nginx.port),
            isSecure: false,
            realm: "test"
        )
        #expect(try run.end().challenge == expected)
        #expect(try run.content().isEmpty)
        let wrong = try download(nginx.url("file")) { $0.spec.credentials = .init(user: "ann", password: "wrong") }
        #expect(try wrong.end().challenge == expected)
        let right = try download(nginx.url("file")) { $0.spec.credentials = .init(user: "ann", password: "pass word") }
        #expect(try right.end().answer?.status == 200)
        #expect(try right.content() == file.bytes)
        #expect(try nginx.waitForEntries("/file", count: 3).count == 3)
    }

    @Test func `a digest is asked for where the server leaves the choice, and no password goes out`() throws {
        server.script("/file", wants([#"Basic realm="b""#, Self.digest], scheme: "Digest ", then: .file(file)))
        let challenge = try #require(try download(server.url("/file")).end().challenge)
        #expect(challenge.method == .httpDigest)
        #expect(challenge.realm == "test")
        let run = try download(server.url("/file")) {
            $0.spec.credentials = .init(user: "ann", password: "secret", isForDigest: true)
        }
        #expect(try run.end().answer?.status == 200)
        #expect(try run.content() == file.bytes)
        let sent = server.requests.compactMap { $0.headers["Authorization"] }
        #expect(sent.count == 1)
        #expect(sent.allSatisfy { $0.hasPrefix("Digest ") })
    }

    @Test func `two offers may stand in one field`() throws {
        server.script("/file", wants([#"Negotiate, Basic realm="b, c""#], scheme: "never", then: .file(file)))
        let challenge = try download(server.url("/file")).end().challenge
        #expect(challenge?.method == .httpBasic)
        #expect(challenge?.realm == "b, c")
    }

    @Test func `a wrong digest is asked for again`() throws {
        server.script("/file", wants([Self.digest], scheme: "never", then: .file(file)))
        let run = try download(server.url("/file")) {
            $0.spec.credentials = .init(user: "ann", password: "wrong", isForDigest: true)
        }
        #expect(try run.end().challenge?.method == .httpDigest)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["Basic", "Digest"]) func `an upload is sent whole once it may`(scheme: String) throws {
        let offer = scheme == "Basic" ? #"Basic realm="test""# : Self.digest
        server.script("/in", wants([offer], scheme: scheme, then: .status(201)))
        let path = try harness.makeFile("source", bytes: 300_000)
        let first = try harness.upload(path, to: server.url("/in"), EngineHarness.ofSession)
        #expect(try first.end().challenge?.realm == "test")
        let second = try harness.upload(path, to: server.url("/in")) {
            EngineHarness.ofSession(&$0)
            $0.spec.credentials = .init(user: "ann", password: "x", isForDigest: scheme == "Digest" ? true : nil)
        }
        #expect(try second.end().answer?.status == 201)
        #expect(server.requests.last?.body == (try TestFiles.read(path)))
    }

    @Test func `a server that asks before it has read the upload is understood`() throws {
        server.script(
            "/in",
            FaultAnswer { exchange in
                let fields = [
                    HeaderField(name: "WWW-Authenticate", value: #"Basic realm="early""#),
                    HeaderField(name: "Connection", value: "close"),
                ]
                try exchange.respond(401, fields, body: Array("no".utf8))
                exchange.close()
            }
        )
        let path = try harness.makeFile("source", bytes: 20_000_000)
        for _ in 0..<5 {
            let run = try harness.upload(path, to: server.url("/in"), EngineHarness.ofSession)
            #expect(try run.end().challenge?.realm == "early")
        }
    }

    @Test func `what had arrived of a download stays as it is`() throws {
        server.script("/file", wants([#"Basic realm="b""#], scheme: "Basic", then: .file(file)))
        let known = PartialDownload(validator: .strongETag("\"one\""), totalBytes: 50_000, bootID: "boot")
        let partial = (bytes: file.bytes[..<20_000], known: known)
        let first = try harness.download(server.url("/file"), partial: partial, EngineHarness.ofSession)
        #expect(try first.end().challenge != nil)
        #expect(try first.content() == Array(file.bytes[..<20_000]))
        #expect(first.events.count == 1)
        let second = try harness.download(server.url("/file"), partial: partial) {
            EngineHarness.ofSession(&$0)
            $0.spec.credentials = .init(user: "a", password: "b")
        }
        #expect(try second.end().answer?.status == 206)
        #expect(try second.content() == file.bytes)
    }

    @Test func `another way to authenticate is an answer like any other`() throws {
        server.script("/file", wants(["Bearer"], scheme: "never", then: .file(file)))
        let end = try download(server.url("/file")).end()
        #expect(end.answer?.status == 401)
        #expect(end.reached == 2_000_000)
    }

    @Test func `an app that leaves it to the default gets the answer`() throws {
        server.script("/file", wants([#"Basic realm="b""#], scheme: "never", then: .file(file)))
        let run = try download(server.url("/file")) { $0.spec.handlesChallengesByDefault = true }
        #expect(try run.end().answer?.status == 401)
    }

    @Test func `nobody is asked for a server that a redirect leads to, and it gets no password`() throws {
        let other = try FaultServer()
        server.script("/here", .redirect(to: other.url("/file")))
        other.script("/file", wants([#"Basic realm="b""#], scheme: "never", then: .file(file)))
        let run = try download(server.url("/here")) { $0.spec.credentials = .init(user: "a", password: "b") }
        #expect(try run.end().answer?.status == 401)
        #expect(server.requests[0].headers["Authorization"] != nil)
        #expect(other.requests[0].headers["Authorization"] == nil)
    }

    @Test func `what the app answers takes the place of what its request said`() throws {
        server.script("/file", .protected("Basic YW5uOnJpZ2h0", then: .file(file)))
        let run = try download("http://bob:wrong@127.0.0.1:\(server.port)/file") {
            $0.spec.headers = [HeaderField(name: "Authorization", value: "Basic wrong")]
            $0.spec.credentials = .init(user: "ann", password: "right")
        }
        #expect(try run.end().answer?.status == 200)
    }
}
