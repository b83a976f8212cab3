// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Downloads of one file from several servers.
@Suite(.serialized) struct `A download with mirrors` {
    private let daemon: DaemonFixture
    private let first: FaultServer
    private let second: FaultServer
    private static let file = FaultFile(random: 4_000_000, seed: 31)
    /// The same file at a server with its own ETag.
    private static let same = FaultFile(file.bytes, etag: "\"two\"")
    private static let other = FaultFile(random: 4_000_000, seed: 32, etag: "\"other\"")

    init() throws {
        daemon = try DaemonFixture()
        (first, second) = (try FaultServer(), try FaultServer())
    }

    private func checksum() throws -> String { try "sha256:" + TestFiles.sha256(of: Self.file.bytes) }

    private func fetch(_ options: String...) throws -> CommandResult {
        try daemon.run(
            ["download", "--connections", "1", "--mirror", second.url("/two"), first.url("/file")] + options
        )
    }

    private func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes, sourceLocation: sourceLocation)
        #expect(TestFiles.names(in: daemon.files) == ["file"], sourceLocation: sourceLocation)
    }

    @Test(arguments: [404, 403, 410]) func `goes to the next one if the first does not have the file`(status: Int)
        throws
    {
        first.script("/file", .status(status, body: "no such file"))
        second.script("/two", .file(Self.same))
        let result = try fetch("-H", "Authorization: Bearer s3cr3t", "-H", "X-Key: s3cr3t", "-u", "ann:s3cr3t")
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        let request = try #require(second.requests.first)
        #expect(!request.headers.contains { $0.value.contains("s3cr3t") || $0.value.hasPrefix("Basic") })
        #expect(request.rangeStart == nil)
        #expect(first.requests.first?.headers["X-Key"] == "s3cr3t")
        let shown = try daemon.run("show", "1").output
        #expect(shown.contains("left for good: the server answered \(status)"), "\(shown)")
        let addresses = try daemon.show(1).addresses
        #expect(addresses[0].isLeftForGood.bool == true && addresses[1].isInUse.bool == true)
    }

    @Test func `goes to the next one if nobody listens at the first`() throws {
        first.stop()
        second.script("/two", .file(Self.same))
        #expect(try fetch().isSuccess)
        try expectWhole()
    }

    @Test func `with a checksum goes on where the first one stopped, without its tag`() throws {
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script("/two", .file(Self.same))
        let result = try fetch("--checksum", try checksum())
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(second.requests.map(\.rangeStart) == [1_500_000])
        #expect(second.requests[0].headers["If-Range"] == nil && second.requests[0].headers["If-Match"] == nil)
    }

    @Test func `without one begins anew`() throws {
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script("/two", .file(Self.same))
        #expect(try fetch().isSuccess)
        try expectWhole()
        #expect(second.requests.map(\.rangeStart) == [nil])
    }

    @Test func `does not keep a file of two servers that turns out wrong, and finds the one that is right`() throws {
        // The rest is from another file: only the checksum shows it.
        first.script("/file", .cut(Self.other, after: 1_500_000), .status(404))
        second.script("/two", .file(Self.same))
        let result = try fetch("--checksum", try checksum())
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(second.requests.map(\.rangeStart) == [1_500_000, nil])
    }

    @Test func `leaves a server with other bytes, and says so`() throws {
        first.script("/file", .file(Self.other))
        second.script("/two", .file(Self.same))
        let result = try fetch("--checksum", try checksum())
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        let trouble = try daemon.show(1).addresses[0].trouble.string ?? ""
        #expect(trouble.contains("SHA-256"), "\(trouble)")
    }

    @Test func `fails with one sentence if all have other bytes, and keeps nothing`() throws {
        first.script("/file", .file(Self.other))
        second.script("/two", .file(FaultFile(random: 4_000_000, seed: 33)))
        let result = try fetch("--checksum", try checksum())
        #expect(!result.isSuccess && result.errors.contains("none of the 2 addresses gave the file"), "\(result)")
        #expect(TestFiles.names(in: daemon.files).isEmpty)
    }

    @Test func `without a checksum leaves a mirror whose file is not as long`() throws {
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script("/two", .file(FaultFile(random: 3_900_000, seed: 33)))
        let result = try fetch()
        #expect(!result.isSuccess && result.errors.contains("3900000 bytes, but 4000000 were expected"), "\(result)")
        #expect(!TestFiles.exists(daemon.path("file")))
    }

    @Test func `does not put an error page with status 206 at an offset`() throws {
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script(
            "/two",
            .status(200, body: String(repeating: "sorry ", count: 500_000)),
            .partial(contentRange: "bytes 0-9/4000000", body: Array(repeating: 1, count: 10)),
            .file(Self.same)
        )
        let result = try fetch("--checksum", try checksum())
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(second.requests.map(\.rangeStart) == [1_500_000, nil, nil])
    }

    @Test func `is the same after the daemon was killed`() throws {
        let gate = FaultGate()
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script("/two", .file(Self.same, holdingAfter: 1_200_000, until: gate), .file(Self.same))
        let sum = try checksum()
        let id = try daemon.submit(
            "download",
            "--connections",
            "1",
            "--checksum",
            sum,
            "--mirror",
            second.url("/two"),
            first.url("/file")
        )
        try daemon.watchBytes(id, atLeast: 2_700_000)
        let why = try daemon.run("why", "\(id)").output
        #expect(why.contains("address 2 of 2 is used") && why.contains("404 Not Found"), "\(why)")
        try daemon.killDaemon()
        gate.open()
        try daemon.startOnDemand()
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole()
        #expect(first.requests.count == 2, "what was left for good is not asked again")
        #expect(second.requests.map(\.rangeStart) == [1_500_000, 2_700_000])
        #expect(second.requests[1].headers["If-Range"] == "\"two\"")
    }

    @Test func `in pieces keeps the pieces that have arrived`() throws {
        let nginx = try NginxServer(.init(rateLimit: 1_000_000))
        defer { nginx.kill() }
        let spare = try NginxServer(.init(rateLimit: 2_000_000))
        defer { spare.kill() }
        try TestFiles.makeRandom(nginx.path("file"), bytes: 16_000_000, seed: 11)
        try TestFiles.makeRandom(spare.path("copy"), bytes: 16_000_000, seed: 11)
        let sum = try TestFiles.sha256(spare.path("copy"))
        let id = try daemon.submit(
            "download",
            "--connections",
            "4",
            "--checksum",
            "sha256:\(sum)",
            "--mirror",
            spare.url("copy"),
            nginx.url("file")
        )
        try daemon.watchBytes(id, atLeast: 6_000_000)
        nginx.kill()
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.sha256(daemon.path("file")) == sum)
        let entries = try spare.entries()
        #expect(entries.allSatisfy { $0.status == 206 } && entries.reduce(0) { $0 + $1.bytes } < 16_000_000)
        // It has been sending all the while. The first request has no validator from this server; the other requests
        // use the one in its answer.
        #expect(entries.filter { $0.ifRange == "" }.count == 1)
    }

    @Test func `comes from a Metalink`() throws {
        first.script("/file", .status(404))
        second.script("/two", .file(Self.same))
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file"><size>\(Self.file.bytes.count)</size>
            <hash type="sha-256">\(try TestFiles.sha256(of: Self.file.bytes))</hash>
            <url priority="2">\(second.url("/two"))</url><url priority="1">\(first.url("/file"))</url></file></metalink>
            """
        try TestFiles.write(text, to: daemon.home + "/files.meta4")
        let result = try daemon.run("download", "--metalink", daemon.home + "/files.meta4")
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        // A different size alone is enough to leave a server.
        second.script("/two", .file(FaultFile(random: 10, seed: 1)))
        try TestFiles.write(
            text.replacing("<hash", with: "<x").replacing("</hash", with: "</x"),
            to: daemon.home + "/b.meta4"
        )
        let short = try daemon.run("download", "--force", "--metalink", daemon.home + "/b.meta4")
        #expect(!short.isSuccess && short.errors.contains("10 bytes, but 4000000 were expected"), "\(short)")
        try expectWhole()
    }

    /// Fetches a file by a Metalink with its length and checksum, and these addresses.
    private func fetchMetalink(_ urls: String...) throws -> CommandResult {
        let addresses = urls.enumerated().map { "<url priority=\"\($0.offset + 1)\">\($0.element)</url>" }.joined()
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file"><size>\(Self.file.bytes.count)</size>
            <hash type="sha-256">\(try TestFiles.sha256(of: Self.file.bytes))</hash>\(addresses)</file></metalink>
            """
        try TestFiles.write(text, to: daemon.home + "/files.meta4")
        return try daemon.run("download", "--connections", "1", "--metalink", daemon.home + "/files.meta4")
    }

    @Test func `leaves a server whose whole file is shorter, though it states no length`() throws {
        first.script(
            "/file",
            FaultAnswer {
                try $0.sendHead(
                    200,
                    [
                        HeaderField(name: "ETag", value: "\"short\""),
                        HeaderField(name: "Transfer-Encoding", value: "chunked"),
                    ]
                )
                try $0.send("186a0\r\n")
                try $0.sendBody(Self.file.bytes.prefix(100_000))
                try $0.send("\r\n0\r\n\r\n")
            }
        )
        second.script("/two", .file(Self.same))
        let result = try fetchMetalink(first.url("/file"), second.url("/two"))
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(first.requests.count == 1)
        let trouble = try daemon.show(1).addresses[0].trouble.string ?? ""
        #expect(trouble.contains("100000 bytes, but 4000000 were expected"), "\(trouble)")
    }

    @Test(arguments: [true, false])
    func `asks a server whose file ends with the connection for the rest, and hears that there is none`(
        isRefused: Bool
    ) throws {
        let short = FaultFile(Array(Self.file.bytes.prefix(1_500_000)))
        first.script("/file", .untilClose(short), isRefused ? .rangeNotSatisfiable(short) : .file(short))
        second.script("/two", .file(Self.same))
        let result = try fetchMetalink(first.url("/file"), second.url("/two"))
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(first.requests.map(\.rangeStart) == [nil, 1_499_999], "it has to have the last byte that it has sent")
        let trouble = try daemon.show(1).addresses[0].trouble.string ?? ""
        #expect(trouble.contains("1500000 bytes, but 4000000 were expected"), "\(trouble)")
    }

    @Test func `keeps what has arrived when a mirror has another file`() throws {
        first.script("/file", .cut(Self.file, after: 1_500_000), .status(404))
        second.script("/two", .file(FaultFile(random: 3_900_000, seed: 33)))
        second.script("/whole", .file(FaultFile(random: 3_900_000, seed: 33, supportsRanges: false)))
        second.script("/short", .file(FaultFile(random: 10, seed: 33)))
        first.script("/good", .file(Self.same))
        let result = try fetchMetalink(
            first.url("/file"),
            second.url("/two"),
            second.url("/whole"),
            second.url("/short"),
            first.url("/good")
        )
        #expect(result.isSuccess, "\(result)")
        try expectWhole()
        #expect(second.requests.map(\.rangeStart) == [1_500_000, 1_500_000, 1_500_000])
        #expect(first.requests("/good").map(\.rangeStart) == [1_500_000])
    }

    @Test func `a daemon believes no history that a client makes up`() throws {
        try daemon.startOnDemand()
        let client = try WireClient.greeted(daemon)
        let urls = [try RequestURL(second.url("/two")), try RequestURL(first.url("/file"))]
        var spec = TransferSpec(direction: .download(.init(path: daemon.path("file"))), url: urls[0], owner: "command")
        spec.statusPolicy = .retryTransientAndFailOnError
        spec.mirrors = MirrorList(urls.reversed())
        #expect(throws: (any Error).self) { try client.send(SubmitTransfers(specs: [spec])) }
    }
}
