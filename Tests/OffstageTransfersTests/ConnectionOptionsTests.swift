// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The effect of curl's options on a transfer's connections.
@Suite struct ConnectionOptionsTests {
    private let harness: EngineHarness
    private let server: FaultServer
    private let file = FaultFile(random: 5000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        server.script("/file", .file(file))
    }

    private func download(_ url: String, _ change: (inout ConnectionOptions) -> Void) throws -> EngineRun {
        var connection = ConnectionOptions()
        change(&connection)
        return try harness.download(url) { $0.spec.connection = connection }
    }

    @Test func `a host is connected to where the command line says, and by nobody else`() throws {
        let place = "far.invalid:80:127.0.0.1:\(server.port)"
        let run = try download("http://far.invalid/file") { $0.connectTo = [place] }
        #expect(try run.end().answer?.status == 200)
        #expect(server.requests.last?.headers["Host"] == "far.invalid")
        // The handle is reused, but its previous address is not.
        let other = try harness.download("http://far.invalid/file")
        #expect(try other.end().failure?.code == .cannotFindHost)
    }

    @Test func `names and passwords come from a file, for the hosts that stand in it`() throws {
        let path = harness.directory.path("netrc")
        try TestFiles.write("machine 127.0.0.1 login ann password word\n", to: path)
        #expect(try download(server.url("/file")) { $0.netrcPath = path }.end().answer?.status == 200)
        #expect(server.requests.last?.headers["Authorization"] == "Basic YW5uOndvcmQ=")
        let elsewhere = server.url("/file").replacing("127.0.0.1", with: "localhost")
        server.script("/here", .redirect(to: elsewhere))
        #expect(try download(server.url("/here")) { $0.netrcPath = path }.end().answer?.status == 200)
        #expect(server.requests("/here").last?.headers["Authorization"] != nil)
        #expect(server.requests.last?.headers["Authorization"] == nil)
    }

    @Test func `a request has no User-Agent where none is wanted, and its own where one is named`() throws {
        #expect(try harness.download(server.url("/file")).end().answer?.status == 200)
        #expect(server.requests.last?.headers["User-Agent"]?.hasPrefix("Offstage/") == true)
        #expect(try download(server.url("/file")) { $0.hasNoUserAgent = true }.end().answer?.status == 200)
        #expect(server.requests.last.map { $0.headers["User-Agent"] } == .some(nil))
        var connection = ConnectionOptions()
        connection.hasNoUserAgent = true
        let own = try harness.download(server.url("/file")) {
            $0.spec.connection = connection
            $0.spec.headers = [HeaderField(name: "User-Agent", value: "own")]
        }
        #expect(try own.end().answer?.status == 200)
        #expect(server.requests.last?.headers["User-Agent"] == "own")
    }

    @Test func `a compressed answer is asked for and undone`() throws {
        // `printf 'hello hello hello' | gzip -n`
        let coded: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
            0x90, 0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00,
        ]
        server.script(
            "/text",
            FaultAnswer { exchange in
                try exchange.readBody()
                try exchange.respond(200, [HeaderField(name: "Content-Encoding", value: "gzip")], body: coded)
            }
        )
        let run = try download(server.url("/text")) { $0.asksForCompression = true }
        #expect(try run.end().answer?.status == 200)
        #expect(try run.content() == Array("hello hello hello".utf8))
        #expect(server.requests.last?.headers["Accept-Encoding"] == "gzip, deflate")
        #expect(try harness.download(server.url("/file")).end().answer?.status == 200)
        #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
    }

    @Test func `any certificate is accepted where that is asked for, and nowhere else`() throws {
        let nginx = try NginxServer(.init(certificate: TestCertificate(in: harness.directory.path)))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 1000, seed: 1)
        #expect(try download(nginx.url("file")) { $0.acceptsAnyCertificate = true }.end().reached == 1000)
        #expect(try harness.download(nginx.url("file")).end().failure?.code == .certificateRejected)
    }

    @Test func `a client says who it is by its certificate, to the server that was named`() throws {
        let own = try TestCertificate(in: harness.directory.path, name: "client")
        let certificate = try TestCertificate(in: harness.directory.path)
        let asks = "ssl_client_certificate \(own.authority); ssl_verify_client optional;"
        let lines = asks + " add_header X-Verified $ssl_client_verify;"
        let other = try NginxServer(.init(certificate: certificate, extra: lines))
        let target = other.url("file")
        let nginx = try NginxServer(
            .init(certificate: certificate, extra: lines + " location /here { return 302 \(target); }")
        )
        for server in [nginx, other] { try TestFiles.makeRandom(server.path("file"), bytes: 1000, seed: 1) }
        let run = { (name: String) in
            try harness.download(nginx.url(name)) {
                $0.spec.certificateAuthorityPath = certificate.authority
                $0.spec.connection = ConnectionOptions()
                $0.spec.connection?.certificatePath = own.certificate
                $0.spec.connection?.keyPath = own.key
            }
        }
        #expect(try run("file").end().answer?.headers["X-Verified"] == "SUCCESS")
        #expect(try run("here").end().answer?.headers["X-Verified"] == "NONE")
    }

    @Test func `a file gets the time that the server says it was changed at`() async throws {
        let queue = try QueueHarness()
        let dated = FaultFile([UInt8](repeating: 7, count: 5000), lastModified: "Wed, 21 Oct 2015 07:28:00 GMT")
        server.script("/dated", .file(dated))
        for (task, isKept) in [(1, true), (2, false)] {
            let path = queue.directory.path("dated-\(task)")
            let id = try await queue.download(server.url("/dated"), task: task) {
                $0.direction = .download(.init(path: path))
                if isKept, case .download(var target) = $0.direction {
                    target.keepsRemoteTime = true
                    $0.direction = .download(target)
                }
            }
            #expect(try queue.end(of: id).outcome?.isSuccess == true)
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect((status.st_mtim.tv_sec == 1_445_412_480) == isKept)
        }
    }

    @Test(arguments: [301, 302, 307]) func `posted data is not posted again where a browser would not`(status: Int)
        throws
    {
        server.script("/here", .redirect(to: "/there", status: status))
        server.script("/there", .status(200))
        let path = try harness.makeFile("data", bytes: 10)
        let run = try harness.upload(path, to: server.url("/here")) {
            $0.spec.method = "POST"
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.postsData = true
        }
        #expect(try run.end().answer?.status == 200)
        #expect(server.requests("/there").map(\.method) == [status == 307 ? "POST" : "GET"])
    }

    @Test func `addresses of the other version are not connected to`() throws {
        // The server listens only on 127.0.0.1.
        let url = server.url("/file").replacing("127.0.0.1", with: "localhost")
        #expect(try download(url) { $0.ipVersion = 4 }.end().answer?.status == 200)
        let failure = try #require(try download(url) { $0.ipVersion = 6 }.end().failure)
        #expect([.cannotFindHost, .cannotConnect].contains(failure.code), "\(failure)")
        #expect(try harness.download(url).end().answer?.status == 200)
        #expect(server.requests.count == 2)
    }

    @Test func `what is older than TLS 1_3 is not spoken where that is not wanted`() throws {
        let certificate = try TestCertificate(in: harness.directory.path)
        for (protocols, isNewEnough) in [("TLSv1.2", false), ("TLSv1.2 TLSv1.3", true)] {
            let nginx = try NginxServer(.init(certificate: certificate, extra: "ssl_protocols \(protocols);"))
            try TestFiles.makeRandom(nginx.path("file"), bytes: 1000, seed: 1)
            for needs in [true, false] {
                let run = try harness.download(nginx.url("file")) {
                    $0.spec.certificateAuthorityPath = certificate.authority
                    $0.spec.connection = ConnectionOptions()
                    $0.spec.connection?.needsTLS13 = needs
                }
                let end = try run.end()
                #expect((end.answer?.status == 200) == (isNewEnough || !needs), "\(end)")
            }
        }
    }

    @Test func `redirects are followed as far as the command line says`() throws {
        server.script("/a", .redirect(to: "/b"))
        server.script("/b", .redirect(to: "/file"))
        #expect(try download(server.url("/a")) { $0.mostRedirects = 2 }.end().answer?.status == 200)
        for most in 0...1 {
            let failure = try #require(try download(server.url("/a")) { $0.mostRedirects = most }.end().failure)
            #expect(failure.code == .tooManyRedirects)
            #expect(failure.detail.hasSuffix(" redirects more often than --max-redirs \(most) allows"), "\(failure)")
        }
        server.script("/circle", .redirect(to: "/circle"))
        let end = try download(server.url("/circle")) { $0.mostRedirects = 30 }.end()
        #expect(end.failure?.code == .tooManyRedirects)
        #expect(server.requests("/circle").count == 31)
    }

    @Test func `a pipe in place of a named file holds nobody up`() throws {
        let pipe = harness.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for change in [
            { $0.netrcPath = pipe }, { $0.certificatePath = pipe }, { $0.keyPath = pipe },
        ] as [(inout ConnectionOptions) -> Void] {
            #expect(try download(server.url("/file"), change).end().failure?.code == .certificateFileUnreadable)
        }
        #expect(try harness.download(server.url("/file")).end().answer?.status == 200)
    }
}
