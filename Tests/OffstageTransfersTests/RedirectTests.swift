// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Where redirects lead, and which fields are dropped.
struct RedirectTests {
    let harness: EngineHarness
    let server: FaultServer
    let other: FaultServer
    let file = FaultFile(random: 10_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        other = try FaultServer()
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a download follows`(status: Int) throws {
        server.script("/here", .redirect(to: "/there?x=1", status: status))
        server.script("/there", .file(file))
        let run = try harness.download(server.url("/here"))
        let end = try run.end()
        #expect(end.answer?.status == 200)
        #expect(end.answer?.finalURL == server.url("/there?x=1"))
        #expect(end.answer?.headers["Location"] == nil)
        #expect(try run.content() == file.bytes)
    }

    @Test func `the text of a redirect does not get into the file`() throws {
        let location = HeaderField(name: "Location", value: "/there")
        server.script("/here", .status(302, [location], body: "moved, look there"))
        server.script("/there", .file(file))
        let run = try harness.download(server.url("/here"))
        #expect(try run.end().reached == 10_000)
        #expect(try run.content() == file.bytes)
    }

    @Test func `a range is asked for at the new place as well`() throws {
        server.script("/here", .redirect(to: other.url("/there")))
        other.script("/there", .file(file))
        let known = PartialDownload(validator: .strongETag("\"one\""), totalBytes: 10_000, bootID: "boot")
        let run = try harness.download(server.url("/here"), partial: (file.bytes[..<4000], known))
        #expect(try run.end().answer?.status == 206)
        #expect(try run.content() == file.bytes)
    }

    @Test func `a circle is left`() throws {
        server.script("/a", .redirect(to: "/b"))
        server.script("/b", .redirect(to: "/a"))
        #expect(try harness.download(server.url("/a")).end().failure?.code == .tooManyRedirects)
        #expect(server.requests.count == 21)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"])
    func `another scheme is refused`(target: String) throws {
        server.script("/here", .redirect(to: target))
        let run = try harness.download(server.url("/here"))
        #expect(try run.end().failure?.code == .redirectRefused)
        #expect(try run.content().isEmpty)
    }

    @Test func `a redirect without a target is an answer`() throws {
        server.script("/here", .status(302, body: "somewhere"))
        #expect(try harness.download(server.url("/here")).end().answer?.status == 302)
    }

    @Test(arguments: [301, 302, 307, 308], ["PUT", "POST"])
    func `an upload is repeated at the new place with its method and whole body`(status: Int, method: String) throws {
        server.script("/here", .redirect(to: other.url("/there"), status: status))
        other.script("/there", .status(201))
        let path = try harness.makeFile("source", bytes: 300_000)
        let run = try harness.upload(path, to: server.url("/here")) { $0.spec.method = method }
        let end = try run.end()
        #expect(end.answer?.status == 201 && end.answer?.wasFetched == nil)
        #expect(other.requests.map(\.method) == [method])
        #expect(other.requests[0].body == (try TestFiles.read(path)))
    }

    @Test(arguments: ["PUT", "POST"])
    func `after See Other the answer is fetched without the body`(method: String) throws {
        server.script("/here", .redirect(to: "/receipt", status: 303))
        server.script("/receipt", .status(200, body: "received"))
        let path = try harness.makeFile("source", bytes: 300_000)
        let run = try harness.upload(path, to: server.url("/here")) { $0.spec.method = method }
        let end = try run.end()
        #expect(end.answer?.bodyStart == Array("received".utf8) && end.answer?.wasFetched == true)
        #expect(end.reached == 300_000)
        #expect(server.requests.map(\.method) == [method, "GET"])
        #expect(server.requests[1].headers["Content-Length"] == nil)
    }

    @Test(arguments: [false, true])
    func `what was said of the body is not said where the answer is fetched`(isElsewhere: Bool) throws {
        let target = isElsewhere ? other : server
        server.script("/here", .redirect(to: isElsewhere ? other.url("/receipt") : "/receipt", status: 303))
        target.script("/receipt", .status(200))
        let path = try harness.makeFile("source", bytes: 1000)
        let ofBody = ["content-type", "content-encoding", "content-language", "content-location", "idempotency-key"]
        let run = try harness.upload(path, to: server.url("/here")) {
            $0.spec.method = "POST"
            $0.spec.idempotencyKey = "one"
            $0.spec.headers = ofBody.dropLast().map { .init(name: $0, value: "x") }
            $0.spec.headers.append(.init(name: "Accept", value: "b"))
        }
        #expect(try run.end().answer?.status == 200)
        for name in ofBody { #expect(server.requests("/here")[0].headers[name] != nil, "\(name)") }
        let fetched = try #require(target.requests("/receipt").first)
        for name in ofBody { #expect(fetched.headers[name] == nil, "\(name)") }
        #expect(fetched.headers["Accept"] == "b")
    }

    @Test func `See Other before the whole body was sent is no success`() throws {
        server.script(
            "/here",
            FaultAnswer { exchange in
                try exchange.respond(303, [HeaderField(name: "Location", value: "/login")])
                exchange.close()
            }
        )
        server.script("/login", .status(200, body: "who are you?"))
        let path = try harness.makeFile("source", bytes: 20_000_000)
        let end = try harness.upload(path, to: server.url("/here")).end()
        #expect(end.failure?.code == .serverMisbehaves)
    }

    /// Begins an upload of a form with a field and two files.
    private func sendForm(_ url: String, _ change: (inout EngineRequest) -> Void = { _ in }) throws -> EngineRun {
        try harness.form([.field("a", "b"), .file(bytes: 200_000), .file(bytes: 70_000)], to: url, change)
    }

    @Test(arguments: [301, 302, 303], [true, false])
    func `a posted form is sent once, and its answer fetched where the server says`(
        status: Int,
        isElsewhere: Bool
    ) throws {
        let target = isElsewhere ? other : server
        server.script("/here", .redirect(to: isElsewhere ? other.url("/done") : "/done", status: status))
        target.script("/done", .status(200, body: "received"))
        let run = try sendForm(server.url("/here"))
        let end = try run.end()
        #expect(end.answer?.bodyStart == Array("received".utf8))
        #expect(end.reached == run.request.body?.count)
        let posted = try #require(server.requests("/here").first)
        #expect(posted.method == "POST")
        #expect(posted.body == (try run.formBody()))
        let fetched = target.requests("/done")
        #expect(fetched.map(\.method) == ["GET"])
        #expect(fetched.allSatisfy { $0.body.isEmpty && $0.headers["Content-Length"] == nil })
    }

    @Test(arguments: [(307, "POST"), (308, "POST"), (301, "PUT"), (302, "PATCH"), (307, "PUT")], [true, false])
    func `a form is repeated where its method has to stay`(redirect: (Int, String), isElsewhere: Bool) throws {
        let (status, method) = redirect
        let target = isElsewhere ? other : server
        server.script("/here", .redirect(to: isElsewhere ? other.url("/in") : "/in", status: status))
        target.script("/in", .status(201))
        let run = try sendForm(server.url("/here")) { $0.spec.method = method }
        #expect(try run.end().answer?.status == 201)
        let repeated = target.requests("/in")
        #expect(repeated.map(\.method) == [method])
        #expect(repeated.first?.body == (try run.formBody()))
        #expect(repeated.first?.headers["Content-Type"] == run.request.spec.headers["Content-Type"])
    }

    @Test(arguments: [301, 302])
    func `a redirect before the whole form was sent is no success`(status: Int) throws {
        server.script(
            "/here",
            FaultAnswer { exchange in
                try exchange.respond(status, [HeaderField(name: "Location", value: "/login")])
                exchange.close()
            }
        )
        server.script("/login", .status(200, body: "who are you?"))
        let run = try harness.form([.field("a", "b"), .file(bytes: 20_000_000)], to: server.url("/here"))
        #expect(try run.end().failure?.code == .serverMisbehaves)
    }

    static let secrets = [
        HeaderField(name: "Authorization", value: "Bearer secret"),
        HeaderField(name: "Cookie", value: "session=secret"),
        HeaderField(name: "X-Api-Key", value: "secret"),
        HeaderField(name: "PRIVATE-TOKEN", value: "secret"),
    ]

    @Test func `secrets stay with the host and port they were given for`() throws {
        server.script("/here", .redirect(to: other.url("/there")))
        other.script("/there", .redirect(to: server.url("/back")))
        server.script("/back", .file(file))
        let run = try harness.download(server.url("/here")) {
            $0.spec.headers = Self.secrets + [HeaderField(name: "Accept-Language", value: "de")]
        }
        #expect(try run.end().answer?.status == 200)
        for secret in Self.secrets { #expect(server.requests[0].headers[secret.name] == secret.value) }
        let there = try #require(other.requests.first)
        #expect(!there.headers.contains { $0.value.contains("secret") })
        #expect(there.headers["Accept-Language"] == "de")
    }

    @Test func `secrets go along to another path of the same host`() throws {
        server.script("/here", .redirect(to: "/there"))
        server.script("/there", .file(file))
        let run = try harness.download(server.url("/here")) { $0.spec.headers = Self.secrets }
        _ = try run.end()
        for secret in Self.secrets { #expect(server.requests[1].headers[secret.name] == secret.value) }
    }

    @Test func `user and password stay with their host`() throws {
        server.script("/here", .redirect(to: other.url("/there")))
        other.script("/there", .file(file))
        let run = try harness.download(server.url("/here")) {
            $0.spec.credentials = .init(user: "ann", password: "secret")
        }
        _ = try run.end()
        #expect(server.requests[0].headers["Authorization"] != nil)
        #expect(other.requests[0].headers["Authorization"] == nil)
    }

    @Test func `a failure after a redirect names the host that failed and no secret`() throws {
        let port = try FreePort.find()
        server.script("/here", .redirect(to: "http://user:pw@127.0.0.1:\(port)/there?signature=abc"))
        let failure = try #require(try harness.download(server.url("/here")).end().failure)
        #expect(failure.code == .cannotConnect)
        #expect(failure.detail.contains("127.0.0.1:\(port)"))
        #expect(!failure.detail.contains("abc") && !failure.detail.contains("pw"))
    }
}
