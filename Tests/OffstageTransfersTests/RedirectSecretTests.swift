// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The fields that may be sent when a redirect leads to another scheme, host or port.
struct RedirectSecretTests {
    let harness: EngineHarness
    let server: FaultServer
    let other: FaultServer
    let file = FaultFile(random: 1000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        other = try FaultServer()
    }

    static let secretNames = [
        "Authorization", "Cookie", "X-Api-Key", "PRIVATE-TOKEN", "X-JWT", "X-Pass", "X-PIN", "X-OTP", "X-SAS",
        "X-Ticket",
        "X-Sid", "X-Colour", "Proxy-Authorization", "Referer", "Origin", "Host", "From", "Forwarded", "X-Bearer", "Api",
        "Link", "Link-Template", "DPoP", "X-Goog-IAM", "X", "Content-Location", "Content-Disposition", "Set-Cookie",
    ]

    private static let secrets = secretNames.map { HeaderField(name: $0, value: "s3cr3t-\($0)") }

    private static let harmless = [
        HeaderField(name: "accept", value: "text/plain"), HeaderField(name: "ACCEPT-LANGUAGE", value: "de"),
        HeaderField(name: "User-Agent", value: "mine/1"), HeaderField(name: "Cache-Control", value: "no-cache"),
    ]

    private func expectNoSecret(_ requests: [RecordedRequest], sourceLocation: SourceLocation = #_sourceLocation) {
        for request in requests {
            let lines = request.headers.map { "\($0.name): \($0.value)" } + [request.target]
            for line in lines {
                #expect(!line.contains("s3cr3t"), sourceLocation: sourceLocation)
                #expect(!line.contains("Basic"), sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], [false, true])
    func `only what is known to be harmless goes to another origin`(status: Int, isUpload: Bool) throws {
        server.script("/here", .redirect(to: other.url("/there"), status: status))
        other.script("/there", .redirect(to: server.url("/back")))
        server.script("/back", .file(file))
        let change: (inout EngineRequest) -> Void = {
            $0.spec.headers = Self.secrets + Self.harmless
            $0.spec.credentials = .init(user: "ann", password: "s3cr3t")
        }
        let source = try harness.makeFile("source", bytes: 1000)
        let run =
            isUpload
            ? try harness.upload(source, to: server.url("/here"), change)
            : try harness.download(server.url("/here"), change)
        #expect(try run.end().answer?.status == 200)
        for secret in Self.secrets where secret.name != "Authorization" {
            #expect(server.requests("/here").first?.headers[secret.name] == secret.value, "\(secret.name)")
        }
        #expect(other.requests.count == 1)
        expectNoSecret(other.requests)
        for field in Self.harmless { #expect(other.requests[0].headers[field.name] == field.value, "\(field.name)") }
        // After a redirect by another server, the owner's header fields are not sent, not even back home.
        let back = try #require(server.requests("/back").first)
        for secret in Self.secrets { #expect(back.headers[secret.name] != secret.value, "\(secret.name)") }
    }

    /// Ambiguous redirects; `HOME` and `AWAY` stand for the two servers.
    static let crooked = [
        "Location: \r\nLocation: http://AWAY/there", "Location:\r\nLocation: http://AWAY/there",
        "Location: http://HOME/back\r\nLocation: http://AWAY/there",
        "Location: http://AWAY/there\r\nLocation: http://HOME/back",
        "Location: http://HOME@AWAY/there", "Location: http://HOME\\@AWAY/there", "Location: //AWAY/there",
        "Location: http:\\\\AWAY/there", "Location: http:/AWAY/there", "Location: http:///AWAY/there",
        "location:http://AWAY/there", "LOCATION:\thttp://AWAY/there", "Location: HTTP://AWAY/there",
        "Location: http://HOME#@AWAY/there", "Location: http://HOME?@AWAY/there",
        "Location: http://AWAY/there http://HOME/back", "Location: http://AWAY/there\r\n http://HOME/back",
        "Location: http://AWAY/there,http://HOME/back", "Location: http://x:y@AWAY/there",
        "Location: http://HOME%2F@AWAY/there", "Location: http://HOME:x@AWAY/there",
        "Location: http://AWAY\\HOME/there",
    ]

    @Test(arguments: crooked, ["HTTP/1.1 302 Found", "HTTP/1.1  302 Found", "HTTP/1.1 302", "HTTP/1.0 302 X"])
    func `nothing secret follows a redirect that can be read in two ways`(lines: String, status: String) throws {
        let text = lines.replacing("HOME", with: "127.0.0.1:\(server.port)")
            .replacing("AWAY", with: "127.0.0.1:\(other.port)")
        server.script(
            "/here",
            FaultAnswer { exchange in
                try exchange.readBody()
                try exchange.send("\(status)\r\n\(text)\r\nContent-Length: 0\r\n\r\n")
            }
        )
        let run = try harness.download(server.url("/here")) {
            $0.spec.headers = Self.secrets
            $0.spec.credentials = .init(user: "ann", password: "s3cr3t")
        }
        _ = try run.end()
        // If the server's redirect contains a user, libcurl logs in with it.
        let requests = other.requests.map { request in
            var request = request
            if text.contains("@") { request.headers.removeAll { $0.value.hasPrefix("Basic") } }
            return request
        }
        expectNoSecret(requests)
        #expect(other.requests.allSatisfy { $0.headers["Authorization"] != "Basic YW5uOnMzY3IzdA==" })
    }

    @Test(arguments: ["localhost", "127.0.0.1.", "127.0.0.2", "[::1]", "LOCALHOST"])
    func `the same machine under another name is another origin`(host: String) throws {
        server.script("/here", .redirect(to: "http://\(host):\(server.port)/there"))
        server.script("/there", .file(file))
        let run = try harness.download(server.url("/here")) { $0.spec.headers = Self.secrets }
        _ = try run.end()
        expectNoSecret(server.requests("/there"))
    }

    @Test(arguments: [
        "/there", "there", "?x=1", "//127.0.0.1:PORT/there", "http://127.1:PORT/there", "HTTP://2130706433:PORT/there",
    ])
    func `the same origin in another spelling is the same`(location: String) throws {
        let target = location.replacing("PORT", with: "\(server.port)")
        server.script("/here", .redirect(to: target), .file(file))
        server.script("/there", .file(file))
        let run = try harness.download(server.url("/here")) {
            $0.spec.headers = [HeaderField(name: "X-JWT", value: "s3cr3t")]
        }
        #expect(try run.end().answer?.status == 200)
        #expect(server.requests.map { $0.headers["X-JWT"] } == ["s3cr3t", "s3cr3t"])
    }

    @Test(arguments: [307, 308])
    func `the body goes along to where an upload is sent on, and no secret of its headers`(status: Int) throws {
        server.script("/here", .redirect(to: other.url("/there"), status: status))
        other.script("/there", .status(201))
        let run = try harness.form([.field("pin", "4711"), .file(bytes: 1000)], to: server.url("/here")) {
            $0.spec.headers += Self.secrets
            $0.spec.idempotencyKey = "one"
        }
        #expect(try run.end().answer?.status == 201)
        #expect(other.requests[0].body == (try run.formBody()))
        #expect(other.requests[0].headers["Idempotency-Key"] == "one")
        expectNoSecret(other.requests)
    }

    @Test func `what a proxy is given stays with that proxy`() throws {
        let proxy = try FaultServer()
        server.script("/there", .file(file))
        proxy.script(server.url("/here"), .redirect(to: "https://127.0.0.1:\(server.port)/there"))
        let run = try harness.download(server.url("/here")) {
            $0.spec.proxy = .init(
                http: "http://pr0xy:s3cr3t@127.0.0.1:\(proxy.port)",
                https: "http://127.0.0.1:\(self.other.port)"
            )
        }
        _ = try run.end()
        #expect(proxy.requests.first?.headers["Proxy-Authorization"] != nil)
        #expect(!other.requests.isEmpty)
        expectNoSecret(other.requests)
    }

    /// If no other field is sent, libcurl would keep the previously set fields.
    @Test(arguments: [true, false]) func `nor does a secret go where it was the only field`(isUpload: Bool) throws {
        server.script("/here", .redirect(to: other.url("/there"), status: 307))
        other.script("/there", .file(file))
        let change: (inout EngineRequest) -> Void = {
            $0.spec.headers = [HeaderField(name: "X-Api-Key", value: "s3cr3t")]
            $0.expectsGoAhead = true
            guard !isUpload else { return }
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.asksForCompression = true
        }
        let source = try harness.makeFile("source", bytes: 2_000_000)
        let run =
            isUpload
            ? try harness.upload(source, to: server.url("/here"), change)
            : try harness.download(server.url("/here"), change)
        #expect(try run.end().answer?.status == 200)
        #expect(server.requests("/here").last?.headers["X-Api-Key"] == "s3cr3t")
        #expect(!other.requests.isEmpty)
        expectNoSecret(other.requests)
    }
}
